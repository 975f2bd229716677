import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatherLines } from './gathered-lines.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-lines-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const lines = Array.from({ length: 2000 }, (_, i) => `{"line":${i},"text":"drei Äpfel 🍏"}\n`);

describe('lines of the log', () => {
  it('are all written, once and in their order, when the process is about to end', async () => {
    const file = join(folder, 'flushed');
    const log = gatherLines(file);
    await expect.poll(() => readFile(file, 'utf8').catch(() => undefined)).toBe('');
    for (const line of lines) log.write(line);
    log.flushSync();
    await expect.poll(() => readFile(file, 'utf8')).toBe(lines.join(''));
  });

  it('are written after a while, however few they are', async () => {
    const file = join(folder, 'few');
    gatherLines(file).write('{"line":0}\n');
    await expect.poll(() => readFile(file, 'utf8').catch(() => ''), { timeout: 10_000 }).toBe('{"line":0}\n');
  });

  it('are written when the process ends by a fault', async () => {
    const module = new URL('./gathered-lines.ts', import.meta.url).href;
    const program = `
      const { gatherLines } = await import(${JSON.stringify(module)});
      const log = gatherLines();
      log.write('the last line\\n');
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('a fault');`;
    const ended = promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      program,
    ]);
    await expect(ended).rejects.toMatchObject({ stdout: 'the last line\n' });
  });
});
