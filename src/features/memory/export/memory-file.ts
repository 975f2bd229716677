import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../../../platform/files/atomic-file.js';
import { BEGIN_MARKER, END_MARKER } from '../records/memory.record.js';

/** A file around its marked section. Bytes, not text: what a person keeps in the file need not be UTF-8. */
export interface MemoryFile {
  before: Buffer;
  /** Undefined: the file has no section yet. */
  section: string | undefined;
  after: Buffer;
}

const BEGIN = Buffer.from(BEGIN_MARKER);
const END = Buffer.from(END_MARKER);

/** The first end marker with a begin marker before it closes the section; a lone marker is somebody's text. */
export function splitFile(content: Buffer): MemoryFile {
  let from = 0;
  for (;;) {
    const end = content.indexOf(END, from);
    if (end < 0) return { before: content, section: undefined, after: Buffer.alloc(0) };
    const begin = content.subarray(from, end).lastIndexOf(BEGIN);
    const stop = end + END.length;
    if (begin >= 0) {
      return {
        before: content.subarray(0, from + begin),
        section: content.toString('utf8', from + begin, stop),
        after: content.subarray(stop),
      };
    }
    from = stop;
  }
}

const NEWLINE = Buffer.from('\n');

/** The file with its section replaced, or with one appended when it had none. */
export function joinFile({ before, section, after }: MemoryFile, text: string): Buffer {
  if (section !== undefined) return Buffer.concat([before, Buffer.from(text), after]);
  if (before.length === 0) return Buffer.from(`${text}\n`);
  const gap = before.at(-1) === 0x0a ? NEWLINE : Buffer.from('\n\n');
  return Buffer.concat([before, gap, Buffer.from(text), NEWLINE]);
}

/** What the section has to share the file with. */
export const sizeAround = ({ before, after }: MemoryFile): { bytes: number; lines: number } => ({
  bytes: before.length + after.length,
  lines: countLines(before) + countLines(after),
});

const countLines = (bytes: Buffer): number => {
  let lines = bytes.length === 0 ? 0 : 1;
  for (const byte of bytes) if (byte === 0x0a) lines += 1;
  return lines;
};

/** Where an export reads and writes. */
export interface MemoryFiles {
  /** Undefined: there is no file yet. */
  read(agentId: string): Promise<Buffer | undefined>;
  /** Puts a new content in the place of the one that was read. False: the file is another one by now, and stays. */
  put(agentId: string, wish: { replaces: Buffer | undefined; content: Buffer }): Promise<boolean>;
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Nobody keeps notes of that size; whatever it is, it is left alone. */
const LARGEST_FILE = 16 * 1024 * 1024;

/** `<agents_dir>/<agent_id>/MEMORY.md`, for the eyes of the service alone. */
export function memoryFiles(agentsDir: string): MemoryFiles {
  const pathOf = (agentId: string) => join(agentsDir, agentId, 'MEMORY.md');
  return {
    read: (agentId) => readPrivately(pathOf(agentId)),

    async put(agentId, { replaces, content }) {
      const path = pathOf(agentId);
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      await keepPrivate(dirname(path), FOLDER_MODE);
      let isThere = false;
      const replaced = await replaceFile(path, content, {
        mode: FILE_MODE,
        async stillWanted() {
          const present = await readPrivately(path);
          isThere = present?.equals(content) ?? false;
          return !isThere && isSame(present, replaces);
        },
      });
      if (replaced) await removeLeftovers(path).catch(() => undefined);
      return replaced || isThere;
    },
  };
}

const isSame = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.equals(b);

/** A link is not followed: it may lead to another agent's file, whose lines would become this one's memories. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function readPrivately(path: string): Promise<Buffer | undefined> {
  const file = await open(path, READ_ONLY).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const { size, mode } = await file.stat();
    if (size > LARGEST_FILE) throw new Error(`MEMORY.md has ${size} bytes; ${LARGEST_FILE} are the most`);
    if (mode & ~FILE_MODE & 0o777) await file.chmod(FILE_MODE).catch(() => undefined);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Earlier versions let everybody read. Where the folder is somebody else's, it stays as they made it. */
async function keepPrivate(folder: string, mode: number): Promise<void> {
  if ((await stat(folder)).mode & ~mode & 0o777) await chmod(folder, mode).catch(() => undefined);
}

const LEFTOVER_MS = 10 * 60 * 1000;

/** What an export that was cut off left behind. A young one may still be on its way. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp'),
  );
  // The file's own clock: it was put in place a moment ago.
  const { ctimeMs: now } = await stat(path);
  for (const name of names) {
    const leftover = join(folder, name);
    const { mtimeMs } = await stat(leftover);
    if (now - mtimeMs > LEFTOVER_MS) await rm(leftover, { force: true });
  }
}
