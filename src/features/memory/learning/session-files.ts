import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { sha256Hex } from '../../../kernel/secrets.js';
import type { LineReader, Message } from './messages.js';

const MOST_FILES = 5000;
const DEEPEST = 6;
const HOME_MODE = 0o700;

export interface SourceFolder {
  /** The workspace's own folder; files outside it are never read. */
  home: string;
  folder: string;
}

/**
 * Resolves a configured path, following links. Undefined unless it is a folder inside the workspace's own folder, which is
 * created when missing.
 */
export async function findSourceFolder(
  sourcesDir: string,
  brandId: number,
  path: unknown,
): Promise<SourceFolder | undefined> {
  if (typeof path !== 'string' || path === '') return undefined;
  try {
    await mkdir(join(sourcesDir, String(brandId)), { recursive: true, mode: HOME_MODE });
    const home = join(await realpath(sourcesDir), String(brandId));
    if ((await realpath(home)) !== home) return undefined;
    const folder = await realpath(resolve(home, path));
    return isInside(home, folder) && (await stat(folder)).isDirectory() ? { home, folder } : undefined;
  } catch {
    return undefined;
  }
}

const isInside = (home: string, path: string): boolean => path === home || path.startsWith(home + sep);

/**
 * Session files below a folder, by relative path. Links are not followed, because their targets may be
 * elsewhere.
 */
export async function listSessionFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MOST_FILES) return;
      const path = join(at, entry.name);
      if (entry.isDirectory() && depth < DEEPEST) await visit(path, depth + 1);
      else if (entry.isFile() && entry.name.endsWith('.jsonl')) found.push(relative(folder, path));
    }
  };
  await visit(folder, 0);
  return found;
}

/** Does not block on a pipe, and does not follow links. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Checks the opened file again, because a folder in its path may have been replaced. Undefined when the check fails. */
export async function openSessionFile(home: string, path: string): Promise<FileHandle | undefined> {
  const file = await open(path, READ_ONLY);
  try {
    const real = await realpath(path);
    const [opened, named] = await Promise.all([file.stat(), stat(real)]);
    const isSame = opened.dev === named.dev && opened.ino === named.ino;
    if (isSame && opened.isFile() && isInside(home, real)) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

/** The position in a file, and a digest of its start to detect a replaced file. */
export interface FileProgress {
  readBytes: number;
  headBytes: number;
  headHash: string;
}

export interface FileReading {
  messages: Message[];
  progress: FileProgress;
  more: boolean;
}

const HEAD_BYTES = 1024;
const MOST_BYTES_AT_ONCE = 1024 * 1024;
/** Longer lines hold a pasted file or an image and are skipped. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * Reads the new lines of a session file. Incomplete lines wait for the next read. A file whose start changed,
 * or that is shorter than before, is read from the start.
 */
export async function readSessionFile(
  file: FileHandle,
  before: FileProgress | undefined,
  readLine: LineReader,
): Promise<FileReading> {
  const { size } = await file.stat();
  const from = before && (await isSameFile(file, size, before)) ? before.readBytes : 0;
  const chunk = await readWholeLines(file, from, size);
  const head = await readHead(file, Math.min(HEAD_BYTES, from + chunk.bytes));
  return {
    messages: await parseLines(chunk.lines, readLine),
    progress: { readBytes: from + chunk.bytes, ...head },
    more: chunk.bytes > 0 && from + chunk.bytes < size && chunk.cut,
  };
}

async function isSameFile(file: FileHandle, size: number, before: FileProgress): Promise<boolean> {
  if (size < before.readBytes) return false;
  const { headHash } = await readHead(file, before.headBytes);
  return headHash === before.headHash;
}

async function readHead(
  file: FileHandle,
  headBytes: number,
): Promise<{ headBytes: number; headHash: string }> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return { headBytes, headHash: sha256Hex(buffer.subarray(0, bytesRead)) };
}

interface Chunk {
  lines: string[];
  bytes: number;
  /** The chunk ended because it was full, not because the file did. */
  cut: boolean;
}

async function readWholeLines(file: FileHandle, from: number, size: number): Promise<Chunk> {
  for (let length = MOST_BYTES_AT_ONCE; ; length *= 2) {
    const wanted = Math.min(length, size - from);
    if (wanted <= 0) return { lines: [], bytes: 0, cut: false };
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, from);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    const cut = wanted < size - from;
    if (end > 0) return { lines: buffer.toString('utf8', 0, end).split('\n'), bytes: end, cut };
    if (!cut) return { lines: [], bytes: 0, cut: false };
    if (length >= LONGEST_LINE) return { lines: [], bytes: bytesRead, cut };
  }
}

/** Yields to the event loop after this many lines. */
const LINES_AT_ONCE = 500;

async function parseLines(lines: readonly string[], readLine: LineReader): Promise<Message[]> {
  const messages: Message[] = [];
  for (const [i, line] of lines.entries()) {
    if (i % LINES_AT_ONCE === LINES_AT_ONCE - 1) await pause();
    const message = line.trimStart().startsWith('{') ? parseLine(line, readLine) : undefined;
    if (message) messages.push(message);
  }
  return messages;
}

function parseLine(line: string, readLine: LineReader): Message | undefined {
  try {
    return readLine(JSON.parse(line));
  } catch {
    // Not a message, or the rest of a line that was skipped.
    return undefined;
  }
}
