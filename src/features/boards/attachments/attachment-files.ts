import { type FileHandle, open } from 'node:fs/promises';
import { IMAGE_CONTENT_TYPES, sniffImage } from '../../../platform/images/image-format.js';
import type { PictureFormat } from '../../../platform/images/picture.worker.js';
import { drawPicture } from '../../../platform/images/pictures.js';

/** Characters that are invisible or change the writing direction can disguise a name. */
const DECEIVING =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;
const LONGEST = 200;
const LONGEST_ENDING = 20;

/** Reduces a file name to one line without folders and invisible characters, at most 200 characters. */
export function cleanFileName(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1)!;
  const name = last.normalize('NFC').replace(DECEIVING, '').replace(/\s+/g, ' ').trim();
  if (/^\.*$/.test(name)) return 'file';
  const letters = [...name];
  if (letters.length <= LONGEST) return name;
  const ending = /\.[^.]+$/.exec(name)?.[0] ?? '';
  const kept = ending.length <= LONGEST_ENDING ? [...ending] : [];
  return [...letters.slice(0, LONGEST - kept.length), ...kept].join('');
}

/** `Content-Disposition` with a fallback name and the exact one (RFC 6266). */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^ !#-$&-[\]-~]/g, '_');
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Photos can have long metadata before the image data. */
const HEAD_BYTES = 512 * 1024;
const TEXT_SAMPLE = 8 * 1024;

const PICTURES = new Set([...Object.values(IMAGE_CONTENT_TYPES), 'image/avif']);

/** Raster images, which cannot contain executable code. */
export const isPicture = (contentType: string): boolean => PICTURES.has(contentType);

/** Detects the content type from the bytes and ignores the type that the sender claims. */
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

/** HTML and SVG count as plain text. */
function isText(sample: Buffer, size: number): boolean {
  if (sample.some(isControl)) return false;
  try {
    // The sample may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: sample.length < size });
    return true;
  } catch {
    return false;
  }
}

const ESCAPE = 0x1b;

/** Everything except tabs, line breaks and the escape of terminal colors. */
const isControl = (byte: number): boolean =>
  byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== ESCAPE) || byte === 0x7f;

const SIDE = 480;
/** Decoding takes up to 5 bytes per pixel, 20 for AVIF, so at most about 500 MB. */
const MOST_MEGAPIXELS = 100;
const MOST_AVIF_MEGAPIXELS = 25;

export const mostMegapixels = (contentType: string): number =>
  contentType === 'image/avif' ? MOST_AVIF_MEGAPIXELS : MOST_MEGAPIXELS;

/** Undefined when the image is damaged or cannot be drawn now. */
export async function drawThumbnail(
  brandId: number,
  path: string,
  contentType: string,
): Promise<Buffer | undefined> {
  const answer = await drawPicture(brandId, {
    source: path,
    format: contentType.replace('image/', '') as PictureFormat,
    mostPixels: mostMegapixels(contentType) * 1e6,
    square: { side: SIDE, fit: 'inside' },
    as: { format: 'webp', quality: 80 },
  }).catch(() => undefined);
  return answer && 'bytes' in answer ? Buffer.from(answer.bytes) : undefined;
}
