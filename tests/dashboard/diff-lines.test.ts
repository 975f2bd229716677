import { describe, expect, it } from 'vitest';
import { type DiffFile, parseDiff } from '../../dashboard/src/builds/changes/diff.js';
import {
  changedWords,
  digestOf,
  endsCrlf,
  findHidden,
  ignoreBlanks,
  partsOf,
  splitLines,
} from '../../dashboard/src/builds/changes/line-parts.js';

const diffOf = (...lines: string[]): DiffFile => {
  const count = (sign: string) =>
    lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).length;
  return parseDiff(
    [
      'diff --git a/a.ts b/a.ts',
      '--- a/a.ts',
      '+++ b/a.ts',
      `@@ -1,${count('-')} +1,${count('+')} @@`,
      ...lines,
      '',
    ].join('\n'),
  )[0]!;
};

describe('Diff lines', () => {
  it('highlight changed words, unless the lines have almost nothing in common', () => {
    const file = diffOf('-const lamp = light(30);', '+const lamp = light(60);', ' end');
    const words = changedWords(file.hunks[0]!);
    const [before, after] = file.hunks[0]!.lines;
    const shown = (line: typeof before) =>
      partsOf(line!.text, words.get(line!))
        .filter(({ changed }) => changed)
        .map(({ text }) => text);
    expect(shown(before)).toEqual(['30']);
    expect(shown(after)).toEqual(['60']);
    const other = diffOf('-import x from "y";', '+while (true) rest();');
    expect(changedWords(other.hunks[0]!).size).toBe(0);
  });

  it('show control and bidirectional characters as code points and report the added ones', () => {
    const file = diffOf('-a\u0007', '+if (admin\u202e\u2066) {}', '+b\tc');
    expect(findHidden(file)).toEqual(['U+202E', 'U+2066']);
    expect(partsOf('x\u202ey')).toEqual([
      { text: 'x', changed: false, hidden: false },
      { text: 'U+202E', changed: false, hidden: true },
      { text: 'y', changed: false, hidden: false },
    ]);
    expect(findHidden(diffOf('+plain ünïcode\r'))).toEqual([]);
    expect(endsCrlf('plain\r')).toBe(true);
    expect(partsOf('plain\r').map(({ text }) => text)).toEqual(['plain']);
  });

  it('combine syntax colors with changed words and hidden characters', () => {
    const colours = [
      [0, 5, 'keyword'],
      [6, 10, 'string'],
    ] as const;
    expect(partsOf('const a\u202ebc;', [[8, 11]], colours).map(({ text, ...rest }) => [text, rest])).toEqual([
      ['const', { changed: false, hidden: false, colour: 'keyword' }],
      [' ', { changed: false, hidden: false }],
      ['a', { changed: false, hidden: false, colour: 'string' }],
      ['U+202E', { changed: false, hidden: true, colour: 'string' }],
      ['bc', { changed: true, hidden: false, colour: 'string' }],
      [';', { changed: true, hidden: false }],
    ]);
    expect(partsOf('ab\r', [[0, 3]], [[1, 3, 'number']]).map(({ text }) => text)).toEqual(['a', 'b']);
  });

  it('count as unchanged if only whitespace differs and whitespace is ignored', () => {
    const file = diffOf('-if (a) {', '-b();', '+if (a)  {', '+  b();', '+  c();');
    const calm = ignoreBlanks(file);
    expect(calm.hunks[0]!.lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['same', 'if (a)  {'],
      ['same', '  b();'],
      ['added', '  c();'],
    ]);
    expect(calm).toMatchObject({ insertions: 1, deletions: 0 });
    expect(ignoreBlanks(diffOf('-a', '+ a')).hunks).toEqual([]);
  });

  it('are paired side by side when one replaces the other', () => {
    const rows = splitLines(diffOf(' top', '-one', '+eins', '+zwei', ' end').hunks[0]!.lines);
    expect(rows.map((row) => [row.old?.text, row.new?.text])).toEqual([
      ['top', 'top'],
      ['one', 'eins'],
      [undefined, 'zwei'],
      ['end', 'end'],
    ]);
  });

  it('keep the same digest until their content changes, so that viewed marks last', () => {
    expect(digestOf(diffOf('-a', '+b'))).toBe(digestOf(diffOf('-a', '+b')));
    expect(digestOf(diffOf('-a', '+b'))).not.toBe(digestOf(diffOf('-a', '+c')));
  });
});
