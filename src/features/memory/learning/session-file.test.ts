import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, open, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileProgress, openSessionFile, readSessionFile } from './session-files.js';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'sessions-')));
});
afterEach(() => rm(folder, { recursive: true }));

describe('readSessionFile', () => {
  const readLine = (line: unknown) => ({
    role: 'user',
    content: String((line as { t: string }).t),
    at: null,
  });
  async function read(path: string, before: FileProgress | undefined) {
    const file = await open(path);
    try {
      return await readSessionFile(file, before, readLine);
    } finally {
      await file.close();
    }
  }
  const texts = (reading: { messages: { content: string }[] }) =>
    reading.messages.map(({ content }) => content);

  it('resumes where it stopped, waits for an incomplete line, and restarts in a replaced file', async () => {
    const path = join(folder, 'a.jsonl');
    await writeFile(path, '{"t":"one"}\n{"t":"tw');
    const first = await read(path, undefined);
    expect(texts(first)).toEqual(['one']);
    await appendFile(path, 'o"}\n{"t":"three"}\n');
    const second = await read(path, first.progress);
    expect(texts(second)).toEqual(['two', 'three']);
    expect(texts(await read(path, second.progress))).toEqual([]);
    await writeFile(path, '{"t":"new"}\n');
    const third = await read(path, second.progress);
    expect(texts(third)).toEqual(['new']);
    await writeFile(path, '{"t":"rotated to something longer"}\n{"t":"x"}\n');
    expect(texts(await read(path, third.progress))).toEqual(['rotated to something longer', 'x']);
  });

  it('reads a large file in pieces without losing a character at their edges', async () => {
    const path = join(folder, 'b.jsonl');
    const lines = Array.from({ length: 40 }, (_, i) => JSON.stringify({ t: `${i} ${'é'.repeat(30_000)}` }));
    await writeFile(path, `${lines.join('\n')}\n`);
    const found: string[] = [];
    let progress: FileProgress | undefined;
    for (let more = true; more; ) {
      const reading = await read(path, progress);
      found.push(...texts(reading));
      ({ progress, more } = reading);
    }
    expect(found).toEqual(lines.map((line) => (JSON.parse(line) as { t: string }).t));
  });
});

describe('openSessionFile', () => {
  let home: string;
  beforeEach(async () => {
    home = join(folder, '7');
    await mkdir(join(home, 'sessions'), { recursive: true });
    await mkdir(join(folder, '8'));
    await writeFile(join(folder, '8', 's.jsonl'), 'theirs');
  });

  const open = async (path: string) => {
    const file = await openSessionFile(home, path);
    await file?.close();
    return file !== undefined;
  };

  it('does not follow a link that replaced a listed file', async () => {
    await symlink(join(folder, '8', 's.jsonl'), join(home, 'sessions', 's.jsonl'));
    await expect(open(join(home, 'sessions', 's.jsonl'))).rejects.toMatchObject({ syscall: 'open' });
  });

  it('skips a file below a folder that was replaced by a link', async () => {
    await rename(join(home, 'sessions'), join(home, 'gone'));
    await symlink(join(folder, '8'), join(home, 'sessions'));
    expect(await open(join(home, 'sessions', 's.jsonl'))).toBe(false);
  });

  it('does not block on a pipe', async () => {
    await promisify(execFile)('mkfifo', [join(home, 'pipe.jsonl')]);
    expect(await open(join(home, 'pipe.jsonl'))).toBe(false);
  });
});
