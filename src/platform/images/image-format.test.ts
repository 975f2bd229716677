import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { sniffImage } from './image-format.js';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 90, alpha: 0.5 } } });

describe('sniffImage', () => {
  it.each(['png', 'jpeg', 'gif', 'webp'] as const)('recognizes %s of any size', async (format) => {
    for (const [width, height] of [
      [1, 1],
      [300, 200],
    ] as const) {
      expect(sniffImage(await picture(width, height).toFormat(format).toBuffer())).toBe(format);
    }
  });

  it('recognizes progressive JPEG with EXIF, lossless WebP, palette PNG and a view into a larger buffer', async () => {
    const jpeg = await picture(20, 20)
      .withMetadata({ orientation: 6 })
      .jpeg({ progressive: true })
      .toBuffer();
    expect(sniffImage(jpeg)).toBe('jpeg');
    expect(sniffImage(await picture(20, 20).webp({ lossless: true }).toBuffer())).toBe('webp');
    const png = await picture(20, 20).png({ palette: true }).toBuffer();
    const larger = new Uint8Array(png.length + 7);
    larger.set(png, 7);
    expect(sniffImage(larger.subarray(7))).toBe('png');
  });

  it.each([
    ['nothing', ''],
    ['text that begins like a GIF', 'GIF8 is a format'],
    ['text that begins with a whole GIF signature', 'GIF89a is a format from 1989, and this is text'],
    ['text that begins like a PNG', '\x89PNG\r\n\x1a\nand then some words that go on for a while'],
    ['text that begins like a JPEG', '\xff\xd8\xff and then words and more words'],
    ['another RIFF file', 'RIFF\x24\x00\x00\x00WAVEfmt and so on and so on and on'],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>'],
    ['an HTML page', '<!doctype html><script>alert(1)</script><p>hello there</p>'],
  ])('returns undefined for %s', (_, bytes) => {
    expect(sniffImage(Buffer.from(bytes, 'latin1'))).toBeUndefined();
  });

  it.each(['png', 'jpeg', 'gif', 'webp'] as const)(
    'returns undefined for a %s truncated in its header',
    async (format) => {
      const bytes = await picture(30, 30).toFormat(format).toBuffer();
      expect(sniffImage(bytes.subarray(0, 12))).toBeUndefined();
    },
  );
});
