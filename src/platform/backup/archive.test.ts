import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossSection } from '../../../tests/support/deep.js';
import { createArchive, FORMAT, type Manifest, openMembers, plainFile, verifyArchive } from './archive.js';

const execute = promisify(execFile);
const LONG_NAME = `files/${'a long folder name/'.repeat(12)}ä.txt`;
const contents = new Map([
  ['files/short', Buffer.from('a few words')],
  [LONG_NAME, Buffer.alloc(1500, 'x')],
  ['files/empty', Buffer.alloc(0)],
]);
const manifest: Omit<Manifest, 'members'> = {
  format: FORMAT,
  guildhall: '0.0.0',
  made_at: '2026-01-01T00:00:00.000Z',
  database: { server: '18', migrations: [], tables: [], sequences: [] },
  left_out: [],
};

let folder: string;
let whole: Buffer;
const inside = (name: string) => join(folder, name);

async function makeArchive(path: string): Promise<void> {
  const archive = await createArchive(path, 1_700_000_000);
  for (const [name, content] of contents) await archive.add(plainFile(name, 1_700_000_000), content);
  await archive.add(
    { ...plainFile('files/link', 1), kind: 'link', target: `../${LONG_NAME}` },
    Buffer.alloc(0),
  );
  await archive.finish(manifest);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-archive-'));
  await makeArchive(inside('whole.tar'));
  whole = await readFile(inside('whole.tar'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function judge(bytes: Buffer): Promise<string> {
  await writeFile(inside('other.tar'), bytes);
  return verifyArchive(inside('other.tar')).then(
    () => 'taken',
    (error) => error.message,
  );
}

describe('Backup archive', () => {
  it('has mode 0600 and leaves no temporary file behind', async () => {
    expect((await stat(inside('whole.tar'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['whole.tar']);
  });

  it('returns the files that were added, including long names and links', async () => {
    const archive = await verifyArchive(inside('whole.tar'));
    expect(archive.entries.at(-1)!.entry).toMatchObject({ kind: 'link', target: `../${LONG_NAME}` });
    const members = await openMembers(archive);
    for (const [name, content] of contents) {
      const chunks: Buffer[] = [];
      for await (const chunk of members.read(name)) chunks.push(chunk);
      expect(Buffer.concat(chunks).equals(content), name).toBe(true);
    }
    await members.close();
  });

  it('can be read by the tar command of the system', async () => {
    const { stdout } = await execute('tar', ['--list', '--quoting-style=literal', '-f', inside('whole.tar')]);
    expect(stdout.trim().split('\n')).toEqual([
      ...contents.keys(),
      'files/link',
      'manifest.json',
      'archive.sha256',
    ]);
  });

  it('is refused when its name is taken, and leaves the existing file unchanged', async () => {
    await expect(makeArchive(inside('whole.tar'))).rejects.toThrow('exists already');
    expect((await readFile(inside('whole.tar'))).equals(whole)).toBe(true);
  });

  it('is refused with a clear message when the folder does not exist', async () => {
    await expect(makeArchive(inside('missing/a.tar'))).rejects.toThrow(/cannot be written .*no such folder/);
  });

  it('leaves no file behind when it is abandoned', async () => {
    const archive = await createArchive(inside('abandoned.tar'), 1);
    await archive.add(plainFile('files/a', 1), Buffer.from('x'));
    await archive.abandon();
    expect((await readdir(folder)).filter((name) => name.startsWith('abandoned'))).toEqual([]);
  });
});

/** The first and last 600 bytes, and every 13th byte in between. */
const places = () => [...whole.keys()].filter((at) => at < 600 || at > whole.length - 600 || at % 13 === 0);

describe('A truncated or altered archive', () => {
  it('is rejected when any byte is altered', async () => {
    for (const at of crossSection(places(), 29)) {
      const altered = Buffer.from(whole);
      altered[at]! ^= 1;
      expect(await judge(altered), `byte ${at}`).toMatch(
        /no whole backup|newer Guildhall|no backup of Guildhall/,
      );
    }
  });

  it('is rejected when it is cut at any position', async () => {
    for (const at of crossSection(places(), 41, 1))
      expect(await judge(whole.subarray(0, at)), `cut at ${at}`).toMatch(/no whole backup|no backup of/);
  });

  it('is rejected when bytes follow its end or it is another kind of file', async () => {
    expect(await judge(Buffer.concat([whole, Buffer.from('x')]))).toContain('something follows its end');
    expect(await judge(Buffer.alloc(4096))).toContain('no whole backup');
    expect(await judge(Buffer.from('a text'))).toContain('it ends too early');
  });

  it('is rejected when it changes between verification and reading', async () => {
    await writeFile(inside('changing.tar'), whole);
    const archive = await verifyArchive(inside('changing.tar'));
    const altered = Buffer.from(whole);
    altered[archive.entries[0]!.offset]! ^= 1;
    await writeFile(inside('changing.tar'), altered);
    const members = await openMembers(archive);
    const read = async () => {
      for await (const _ of members.read('files/short'));
    };
    await expect(read()).rejects.toThrow('changed while it was restored');
    await members.close();
  });
});
