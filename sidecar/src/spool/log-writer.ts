import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isLackOfRoom, readIfThere, syncToDisk, writeWhole } from '../desk-files.js';
import { LOG_PART_BYTES } from '../work/build-protocol.js';
import type { Secrets } from './secret-filter.js';

interface LogWriterOptions {
  folder: string;
  secrets: Secrets;
  /** Limit for data waiting on disk; the rest is dropped, and the log says so. */
  mostWaitingBytes?: number;
  /** Limit for the whole log; more than the service keeps. */
  mostBytes?: number;
}

const FLUSH_MS = 100;
const NO_ROOM_MS = 250;
const PART_CHARACTERS = 64 * 1024;
const TAIL_CHARACTERS = 256 * 1024;
/** Leaves space for the second half of a surrogate pair, which must not be split. */
const MOST_CHARACTERS = Math.floor(LOG_PART_BYTES / 4);

export type LogWriter = ReturnType<typeof createLogWriter>;

/** Splits a coder's output into numbered parts, each written atomically and never changed afterward. */
export function createLogWriter(options: LogWriterOptions) {
  const { folder, mostWaitingBytes = 32 * 1024 * 1024, mostBytes = 64 * 1024 * 1024 } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const filter = options.secrets.createFilter();
  let next = lastPart(folder) + 1;
  let waiting = '';
  let written = 0;
  let leftOut = 0;
  let tail = '';
  let full = false;
  let blocked = false;
  let measuredAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function writeParts(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === '') return;
    while (waiting !== '') {
      const text = cutPart(waiting);
      writeWhole(join(folder, partName(next)), text, 0o600);
      waiting = waiting.slice(text.length);
      next += 1;
      written += Buffer.byteLength(text);
    }
    measure();
  }

  /** Keeps output in memory, up to a limit, while the disk is full; a coder may free space again. */
  function tryParts(): void {
    try {
      writeParts();
      blocked = false;
    } catch (error) {
      if (!isLackOfRoom(error)) throw error;
      blocked = true;
      timer = setTimeout(tryParts, NO_ROOM_MS);
    }
  }

  function measure(): void {
    measuredAt = performance.now();
    full = written > mostBytes || waitingBytes(folder) > mostWaitingBytes;
  }

  function isFull(): boolean {
    if (blocked) return true;
    if (full && performance.now() - measuredAt > FLUSH_MS) measure();
    return full;
  }

  function leaveOut(text: string): void {
    leftOut += text.length;
    tail += text;
    // Not after every piece, because slicing a long string is slow.
    if (tail.length > 4 * TAIL_CHARACTERS) tail = tail.slice(-TAIL_CHARACTERS);
  }

  function catchUp(): void {
    if (leftOut === 0) return;
    tail = tail.slice(-TAIL_CHARACTERS);
    const missing = leftOut - tail.length;
    waiting += `${missing > 0 ? `\n[${missing} characters of output left out]\n` : ''}${dropHalf(tail)}`;
    leftOut = 0;
    tail = '';
  }

  function add(text: string): void {
    if (text === '') return;
    if (isFull()) {
      leaveOut(text);
      return;
    }
    catchUp();
    waiting += text;
    if (waiting.length >= PART_CHARACTERS) tryParts();
    else timer ??= setTimeout(tryParts, FLUSH_MS);
  }

  return {
    write: (text: string): void => add(filter.pass(text)),

    /** All output is on disk when this returns. */
    close(): void {
      add(filter.end());
      catchUp();
      writeParts();
      // Syncing each part while the coder runs would slow it down, so do it at the end.
      const acknowledged = readAcknowledged(folder);
      for (const seq of listParts(folder)) if (seq > acknowledged) syncPart(join(folder, partName(seq)));
      syncToDisk(folder);
    },
  };
}

/** The sidecar may have removed the part. */
function syncPart(path: string): void {
  try {
    syncToDisk(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const dropHalf = (text: string): string => (/^[\udc00-\udfff]/.test(text) ? text.slice(1) : text);

function cutPart(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const end = /[\ud800-\udbff]/.test(text[MOST_CHARACTERS - 1] ?? '') ? MOST_CHARACTERS - 1 : MOST_CHARACTERS;
  return text.slice(0, end);
}

export const partName = (seq: number): string => String(seq).padStart(9, '0');

export function listParts(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{9}$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

/** Starts from 0 when unreadable: the service ignores parts that it already has. */
export function readAcknowledged(folder: string): number {
  const seq = Number(readIfThere(join(folder, 'acknowledged')));
  return Number.isSafeInteger(seq) && seq > 0 ? seq : 0;
}

export const keepAcknowledged = (folder: string, seq: number): void =>
  writeWhole(join(folder, 'acknowledged'), String(seq));

const lastPart = (folder: string): number => Math.max(readAcknowledged(folder), ...listParts(folder), 0);

function waitingBytes(folder: string): number {
  const acknowledged = readAcknowledged(folder);
  let bytes = 0;
  for (const seq of listParts(folder)) {
    if (seq > acknowledged) bytes += sizeOf(join(folder, partName(seq)));
  }
  return bytes;
}

/** The sidecar may have removed the part. */
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
