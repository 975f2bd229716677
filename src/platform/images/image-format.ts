export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';

export const IMAGE_CONTENT_TYPES: Record<ImageFormat, string> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/**
 * Detects the format from the signature and the first structures. For a long file the first bytes and the
 * total size are sufficient.
 */
export function sniffImage(bytes: Uint8Array, size = bytes.byteLength): ImageFormat | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isPng(buffer)) return 'png';
  if (isJpeg(buffer)) return 'jpeg';
  if (isGif(buffer)) return 'gif';
  if (isWebp(buffer, size)) return 'webp';
  return undefined;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The header chunk has 13 bytes, a nonzero size and a known color type. */
function isPng(b: Buffer): boolean {
  return (
    b.length >= 45 &&
    b.subarray(0, 8).equals(PNG_SIGNATURE) &&
    b.readUInt32BE(8) === 13 &&
    b.toString('latin1', 12, 16) === 'IHDR' &&
    b.readUInt32BE(16) > 0 &&
    b.readUInt32BE(20) > 0 &&
    [0, 2, 3, 4, 6].includes(b[25]!)
  );
}

/** Walks the marker segments up to the frame header. */
function isJpeg(b: Buffer): boolean {
  if (b.length < 20 || b[0] !== 0xff || b[1] !== 0xd8) return false;
  let at = 2;
  while (at + 4 <= b.length) {
    if (b[at] !== 0xff) return false;
    const marker = b[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xda || marker === 0xd9 || marker < 0xc0) return false;
    if (isFrameHeader(marker)) return at + 9 < b.length && b.readUInt16BE(at + 7) > 0;
    const length = b.readUInt16BE(at + 2);
    if (length < 2) return false;
    at += 2 + length;
  }
  return false;
}

/** C0 to CF without the tables (C4), the extension (C8) and the conditioning (CC). */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** The screen descriptor and color table are followed by an extension or an image. */
function isGif(b: Buffer): boolean {
  if (b.length < 14) return false;
  const signature = b.toString('latin1', 0, 6);
  if (signature !== 'GIF87a' && signature !== 'GIF89a') return false;
  if (b.readUInt16LE(6) === 0 || b.readUInt16LE(8) === 0) return false;
  const flags = b[10]!;
  const tableBytes = flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0;
  const block = b[13 + tableBytes];
  return block === 0x21 || block === 0x2c;
}

function isWebp(b: Buffer, size: number): boolean {
  if (b.length < 30 || b.toString('latin1', 0, 4) !== 'RIFF' || b.toString('latin1', 8, 12) !== 'WEBP')
    return false;
  const declared = b.readUInt32LE(4) + 8;
  return (
    declared <= size + 1 && declared >= 30 && ['VP8 ', 'VP8L', 'VP8X'].includes(b.toString('latin1', 12, 16))
  );
}
