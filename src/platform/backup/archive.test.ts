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

describe('an archive', () => {
  it('is for its owner alone, whole under its name, and nothing lies beside it', async () => {
    expect((await stat(inside('whole.tar'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['whole.tar']);
  });

  it('gives back what was put in, long names and links too', async () => {
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

  it("is one that the machine's own tar can read", async () => {
    const { stdout } = await execute('tar', ['--list', '--quoting-style=literal', '-f', inside('whole.tar')]);
    expect(stdout.trim().split('\n')).toEqual([
      ...contents.keys(),
      'files/link',
      'manifest.json',
      'archive.sha256',
    ]);
  });

  it('a name that is taken is refused, and what has it stays', async () => {
    await expect(makeArchive(inside('whole.tar'))).rejects.toThrow('exists already');
    expect((await readFile(inside('whole.tar'))).equals(whole)).toBe(true);
  });

  it('a folder that is not there is refused in a sentence', async () => {
    await expect(makeArchive(inside('missing/a.tar'))).rejects.toThrow(/cannot be written .*no such folder/);
  });

  it('one that is abandoned leaves nothing', async () => {
    const archive = await createArchive(inside('abandoned.tar'), 1);
    await archive.add(plainFile('files/a', 1), Buffer.from('x'));
    await archive.abandon();
    expect((await readdir(folder)).filter((name) => name.startsWith('abandoned'))).toEqual([]);
  });
});

/** All of its head and its end, and of what lies between every thirteenth byte. */
const places = () => [...whole.keys()].filter((at) => at < 600 || at > whole.length - 600 || at % 13 === 0);

describe('a cut or altered archive is refused', () => {
  it('any byte', async () => {
    for (const at of crossSection(places(), 29)) {
      const altered = Buffer.from(whole);
      altered[at]! ^= 1;
      expect(await judge(altered), `byte ${at}`).toMatch(
        /no whole backup|newer Guildhall|no backup of Guildhall/,
      );
    }
  });

  it('cut anywhere', async () => {
    for (const at of crossSection(places(), 41, 1))
      expect(await judge(whole.subarray(0, at)), `cut at ${at}`).toMatch(/no whole backup|no backup of/);
  });

  it('something behind its end, or something else altogether', async () => {
    expect(await judge(Buffer.concat([whole, Buffer.from('x')]))).toContain('something follows its end');
    expect(await judge(Buffer.alloc(4096))).toContain('no whole backup');
    expect(await judge(Buffer.from('a text'))).toContain('it ends too early');
  });

  it('one that changes after it was judged, while it is read', async () => {
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
