import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writeYaml } from './yaml.js';

const TRICKY = [
  '',
  ' ',
  'yes',
  'No',
  '~',
  'null',
  '1',
  '1e3',
  '0x1f',
  '1:30',
  '2026-11-14',
  '=',
  '<<',
  '- a',
  '# a',
  'a: b',
  'a #b',
  '"',
  "'",
  '\n',
  'a\nb ',
  '\t',
  '\u2028',
  '\ufeff',
  '---',
  '...',
  '{',
  '[',
  '*a',
  '&a',
  '!a',
  '%a',
  '@a',
  '`',
  '|',
  '>',
  '?',
  'ä',
  '😀',
  '__proto__x',
];

describe('writeYaml', () => {
  it('treats values like JSON: undefined is left out, and a date becomes text', () => {
    const data = {
      gone: undefined,
      at: new Date(0),
      empty: { gone: undefined },
      list: [undefined, { a: 1 }],
    };
    expect(writeYaml(data)).toBe(writeYaml(JSON.parse(JSON.stringify(data))));
  });

  it.each(['1.1', '1.2'] as const)('writes the same facts as the JSON for a reader of YAML %s', (version) => {
    const words = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...TRICKY), fc.lorem());
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        words,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(words, tie('any'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (data) => {
        const plain = JSON.parse(JSON.stringify(data).toWellFormed());
        expect(parse(writeYaml(plain), { version, maxAliasCount: 0 })).toEqual(plain);
      }),
      { numRuns: 200 },
    );
  });
});
