import { describe, expect, it } from 'vitest';
import { isPlainName, readSource, TokenIndex } from './tokens.js';

const tokensOf = (source: string, comments: { start: number; end: number }[] = []) =>
  new TokenIndex(readSource(Buffer.from(source)), comments);

/** Hashes the source from `begins` to its end. */
function hashFrom(source: string, begins: string, name: string) {
  return tokensOf(source).hash([[source.indexOf(begins), source.length]], name);
}

describe('Token hashes', () => {
  it('ignore layout and comments', () => {
    const written = 'function f(a) { return a + 1; }';
    const spread = '/* é 𝔘 */ function f ( a )\n{ // what\n  return a+1 ;\n}';
    const comments = [/\/\*.*\*\//, /\/\/.*/].map((pattern) => {
      const [text] = pattern.exec(spread)!;
      return { start: spread.indexOf(text), end: spread.indexOf(text) + text.length };
    });
    expect(tokensOf(spread, comments).hash([[0, spread.length]], 'f')).toEqual(
      hashFrom(written, 'function', 'f'),
    );
  });

  it.each(['é', '€', '𝔘', 'é€𝔘 = 1;\n'])(
    'find the same tokens after %j, which has multi-byte characters',
    (text) => {
      const body = 'function grüße() { return "ß𝔘"; }';
      expect(hashFrom(`const ${text}; ${body}`, 'function', 'grüße')).toEqual(
        hashFrom(body, 'function', 'grüße'),
      );
    },
  );

  it('stay equal after a rename when the own name is masked', () => {
    const before = hashFrom('function größe(n) { return größe(n - 1) + größer; }', 'function', 'größe');
    const after = hashFrom('function size(n) { return size(n - 1) + größer; }', 'function', 'size');
    expect(after.masked).toBe(before.masked);
    expect(after.body).not.toBe(before.body);
    expect(after.size).toBe(before.size);
    const other = hashFrom('function size(n) { return size(n - 1) + sizes; }', 'function', 'size');
    expect(other.masked).not.toBe(before.masked);
  });

  it('count a number with a decimal point as one token', () => {
    const sizeOf = (source: string) => tokensOf(source).hash([[0, source.length]], '').size;
    expect([sizeOf('1.5e3'), sizeOf('0xff'), sizeOf('a.b'), sizeOf('1é')]).toEqual([1, 1, 3, 2]);
  });

  it('match the stored hashes', () => {
    expect(hashFrom('f f(é) { f f f; "f" }', 'f', 'f')).toEqual({
      body: 'XPwxnrii0k0VtvvZMRPd',
      masked: 'auEhhvcp89uqy3l7Xijc',
      size: 14,
    });
  });

  it('of an empty span have size 0', () => {
    expect(tokensOf('  ').hash([[0, 2]], 'f')).toMatchObject({ size: 0 });
  });
});

describe('isPlainName', () => {
  it.each(['a', '$', '_b9', 'A.b', 'A.b.c', 'empty?', 'save!', 'größe', 'é.ü', `${'a'.repeat(200)}`])(
    'accepts %s',
    (name) => expect(isPlainName(name)).toBe(true),
  );

  it.each(['', '9a', 'a b', 'a#b', 'a.', '.a', 'a..b', 'a/b', 'a'.repeat(201), `${'ab.'.repeat(133)}cd`])(
    'rejects %s',
    (name) => expect(isPlainName(name)).toBe(false),
  );
});

describe('readSource', () => {
  it.each([
    ['nothing', '', '', true],
    ['ASCII', '666e', 'fn', true],
    ['UTF-8', 'c3a920f09f9882', 'é 😂', false],
    ['text with a byte order mark', 'efbbbf666e', 'fn', true],
    ['text with two byte order marks', 'efbbbfefbbbf666e', '\ufefffn', false],
    ['Latin-1 text', '67e9', 'g\ufffd', false],
    ['text cut in a character whose replacement has the same length', 'f09f98', '\ufffd', false],
    ['cut text with a byte order mark', 'efbbbff09f98', '\ufffd', false],
  ])('decodes %s to text whose bytes match the returned bytes', (_, hex, text, isAscii) => {
    const read = readSource(Buffer.from(hex, 'hex'));
    expect(read.text).toBe(text);
    expect(Buffer.from(read.bytes).toString('hex')).toBe(Buffer.from(text).toString('hex'));
    expect(read.isAscii).toBe(isAscii);
  });
});
