import { describe, expect, it } from 'vitest';
import { readSource } from './source-text.js';

describe('A source', () => {
  it.each([
    ['nothing', '', '', true],
    ['ASCII', '666e', 'fn', true],
    ['UTF-8', 'c3a920f09f9882', 'é 😂', false],
    ['with a mark of the byte order', 'efbbbf666e', 'fn', true],
    ['with two of them', 'efbbbfefbbbf666e', '\ufefffn', false],
    ['in Latin 1', '67e9', 'g\ufffd', false],
    ['cut in a character, of which the replacement has as many bytes', 'f09f98', '\ufffd', false],
    ['cut, behind a mark', 'efbbbff09f98', '\ufffd', false],
  ])('%s is read, and its bytes are those of its text', (_, hex, text, isAscii) => {
    const read = readSource(Buffer.from(hex, 'hex'));
    expect(read.text).toBe(text);
    expect(Buffer.from(read.bytes).toString('hex')).toBe(Buffer.from(text).toString('hex'));
    expect(read.isAscii).toBe(isAscii);
  });
});
