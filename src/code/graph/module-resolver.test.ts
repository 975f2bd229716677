import { describe, expect, it } from 'vitest';
import { computingTime } from '../../../tests/support/event-loop.js';
import { joinPath, parseLooseJson } from './module-resolver.js';

describe('parseLooseJson', () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    ['\ufeff{"a": 1, /* why */ }', { a: 1 }],
    [
      '{"a": "// no comment, /* nor this */", // one\n "b": [1, 2, ],}',
      { a: '// no comment, /* nor this */', b: [1, 2] },
    ],
    ['{"a": "\\"quoted\\", }"}', { a: '"quoted", }' }],
    ['{"a": "open', undefined],
    ['{"a": 1 /* open', undefined],
  ])('returns the value of %j, or undefined for invalid JSON', (text, value) => {
    expect(parseLooseJson(text)).toEqual(value);
  });

  it.each(['"\\', '"', '/*', '\\/*', '//', ',', ', ', '[', '{"a":'])(
    'parses 1 MiB of repeated %j within 5 seconds',
    (unit) => {
      const text = unit.repeat((1024 * 1024) / unit.length);
      expect(computingTime(() => void parseLooseJson(text))).toBeLessThan(5_000);
    },
  );
});

describe('joinPath', () => {
  it.each([
    ['src/a', './b.ts', 'src/a/b.ts'],
    ['src/a', '../b.ts', 'src/b.ts'],
    ['', 'src/./a/../b.ts', 'src/b.ts'],
    ['src', '../../b.ts', undefined],
  ])('joins %j and %j to %j', (folder, path, joined) => {
    expect(joinPath(folder, path)).toBe(joined);
  });
});
