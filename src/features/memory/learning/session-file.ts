import type { FileHandle } from 'node:fs/promises';
import { setImmediate as pause } from 'node:timers/promises';
import { sha256Hex } from '../../../kernel/secrets.js';
import type { LineReader, Message } from './messages.js';

/** How far a file was read, and how it began then. */
export interface FileProgress {
  readBytes: number;
  headBytes: number;
  headHash: string;
}

export interface FileReading {
  messages: Message[];
  progress: FileProgress;
  /** There is more to read right away. */
  more: boolean;
}

const HEAD_BYTES = 1024;
const MOST_BYTES_AT_ONCE = 1024 * 1024;
/** A line that is longer holds a pasted file or a picture; it is passed over. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * Reads what came to a session file since the last time. Only whole lines count: a line that is still being written waits.
 * A file that begins otherwise than it did, or is shorter than what was read, is another file by now and is read from its start.
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

/** Others get their turn between so many lines. */
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
    // Not one of the program's own lines, or the rest of one that was passed over.
    return undefined;
  }
}
