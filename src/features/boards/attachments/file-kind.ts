import { type FileHandle, open } from 'node:fs/promises';
import { IMAGE_CONTENT_TYPES, sniffImage } from '../../../platform/images/image-format.js';

/** Photographs can have long stretches about themselves before the picture begins. */
const HEAD_BYTES = 512 * 1024;
const TEXT_SAMPLE = 8 * 1024;

const PICTURES = new Set([...Object.values(IMAGE_CONTENT_TYPES), 'image/avif']);

/** What a page may show by itself: pictures of dots, which hold nothing that could be run. */
export const isPicture = (contentType: string): boolean => PICTURES.has(contentType);

/** By the bytes alone; what the sender says of them is not asked for. */
export async function readKind(path: string, size: number): Promise<string> {
  const file = await open(path);
  try {
    return kindOf(await readHead(file), size);
  } finally {
    await file.close();
  }
}

async function readHead(file: FileHandle): Promise<Buffer> {
  const head = Buffer.alloc(HEAD_BYTES);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await file.read(head, filled, HEAD_BYTES - filled, filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === HEAD_BYTES) return head.subarray(0, filled);
  }
}

const startsWith = (head: Buffer, text: string, at = 0): boolean =>
  head.toString('latin1', at, at + text.length) === text;

export function kindOf(head: Buffer, size: number): string {
  const image = sniffImage(head, size);
  if (image) return IMAGE_CONTENT_TYPES[image];
  if (startsWith(head, 'ftyp', 4) && /^avi[fs]$/.test(head.toString('latin1', 8, 12))) return 'image/avif';
  if (startsWith(head, '%PDF-')) return 'application/pdf';
  if (startsWith(head, 'PK\x03\x04')) return 'application/zip';
  if (startsWith(head, '\x1f\x8b')) return 'application/gzip';
  return isText(head.subarray(0, TEXT_SAMPLE), size)
    ? 'text/plain; charset=utf-8'
    : 'application/octet-stream';
}

/** Pages and drawings of lines are texts too, and are never anything more. */
function isText(sample: Buffer, size: number): boolean {
  if (sample.some(isControl)) return false;
  try {
    // A letter may be cut in two where the sample ends.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: sample.length < size });
    return true;
  } catch {
    return false;
  }
}

const ESCAPE = 0x1b;

/** All but the tab, the ways to end a line, and what colours the output of programs. */
const isControl = (byte: number): boolean =>
  byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== ESCAPE) || byte === 0x7f;
