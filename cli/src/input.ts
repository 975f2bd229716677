import { readFileSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { cancelled, misuse } from './failure.js';

/** Reads all of stdin; Ctrl+C stops waiting for it. */
export async function readPiped(signal: AbortSignal): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY) throw nothingPiped();
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(chunk as Buffer);
  } catch {
    throw signal.aborted ? cancelled() : nothingPiped();
  }
  return decode(Buffer.concat(chunks), 'Standard input');
}

export function readTextFile(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    throw misuse(`Cannot read ${path}`);
  }
  return decode(bytes, path);
}

/** Rejects invalid UTF-8, which would otherwise silently become replacement characters. */
function decode(bytes: Buffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw misuse(`${what} is not UTF-8`, 'Convert it first, for example with iconv. Nothing was sent.');
  }
}

const nothingPiped = () =>
  misuse(
    'No text on standard input',
    'Pipe the text into the command, for example: cat notes.md | guildhall …',
  );
