import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { isPicture, kindOf } from './attachment-files.js';

const kind = (bytes: Buffer | string, size?: number) => {
  const head = Buffer.from(bytes as string, 'latin1');
  return kindOf(head, size ?? head.length);
};
const picture = sharp({ create: { width: 9, height: 7, channels: 3, background: '#336699' } });

describe('Detecting the content type from the bytes', () => {
  it.each(['png', 'jpeg', 'gif', 'webp', 'avif'] as const)('recognizes %s as a picture', async (format) => {
    const bytes = await picture.clone().toFormat(format).toBuffer();
    expect(kind(bytes)).toBe(`image/${format}`);
    expect(isPicture(kind(bytes))).toBe(true);
  });

  it('needs only the start of a long picture', async () => {
    const bytes = await sharp({
      create: { width: 300, height: 300, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 60 } },
    } as never)
      .webp({ lossless: true })
      .toBuffer();
    expect(kind(bytes.subarray(0, 5000), bytes.length)).toBe('image/webp');
    expect(kind(bytes.subarray(0, 5000))).not.toBe('image/webp');
  });

  it.each([
    ['%PDF-1.7\n', 'application/pdf'],
    ['PK\x03\x04\x14\x00', 'application/zip'],
    ['\x1f\x8b\x08', 'application/gzip'],
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'text/plain; charset=utf-8'],
    ['<!doctype html><script>alert(1)</script>', 'text/plain; charset=utf-8'],
    ['\x1b[31mred\x1b[0m\r\n\tline', 'text/plain; charset=utf-8'],
    ['\x00\x01\x02', 'application/octet-stream'],
    ['text with a \x00 in it', 'application/octet-stream'],
    ['\x7fELF', 'application/octet-stream'],
    ['caf\xe9', 'application/octet-stream'],
  ])('takes %j as %s, which is not a picture', (bytes, type) => {
    expect(kind(bytes)).toBe(type);
    expect(isPicture(type)).toBe(false);
  });

  it('accepts a character that the end of the sample cuts in two', () => {
    const text = Buffer.from(`${'x'.repeat(8 * 1024 - 1)}é and more`);
    expect(kindOf(text, text.length)).toBe('text/plain; charset=utf-8');
    expect(kindOf(text.subarray(0, 8 * 1024), 8 * 1024)).toBe('application/octet-stream');
  });
});
