import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../../kernel/ids.js';
import { BEGIN_MARKER, END_MARKER } from './markers.js';

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
    const begin = content.subarray(0, end).lastIndexOf(BEGIN);
    if (begin >= from) {
      const stop = end + END.length;
      return {
        before: content.subarray(0, begin),
        section: content.toString('utf8', begin, stop),
        after: content.subarray(stop),
      };
    }
    from = end + END.length;
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

export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const NEW_FILE_MODE = 0o644;

/** Readers see the old file or the new one, never half of one. */
export async function replaceFile(path: string, content: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const mode = await stat(path).then(
    (known) => known.mode & 0o777,
    () => NEW_FILE_MODE,
  );
  const temporary = `${path}.${newId()}.tmp`;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
