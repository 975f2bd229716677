import { describe, expect, it } from 'vitest';
import { lineCount, parseDiff } from '../../dashboard/src/builds/changes/diff.js';
import { toComment, WHOLE } from '../../dashboard/src/builds/changes/remarks.js';
import { classesOf, PLAIN, readAnsi } from '../../dashboard/src/builds/log/ansi.js';
import { isGap, LogBook, plainOf } from '../../dashboard/src/builds/log/log-book.js';
import { fileOfLesson, pathOfLesson } from '../../dashboard/src/lessons/lesson-file.js';

const at = '2026-01-01T00:00:00.000Z';

describe('Unified diff parser', () => {
  it('counts lines on both sides, including lines that look like file headers', () => {
    const [file] = parseDiff(
      [
        'diff --git a/notes.md b/notes.md',
        'index 1..2 100644',
        '--- a/notes.md',
        '+++ b/notes.md',
        '@@ -3,3 +3,4 @@ ## Heading',
        ' same',
        '--- a rule that was removed',
        '+++ b/rule that was added',
        '+another',
        ' end',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    );
    expect(file).toMatchObject({ path: 'notes.md', kind: 'changed', insertions: 2, deletions: 1 });
    expect(file!.hunks[0]).toMatchObject({ place: '## Heading' });
    expect(file!.hunks[0]!.lines.map(({ kind, old, new: next }) => [kind, old, next])).toEqual([
      ['same', 3, 3],
      ['removed', 4, null],
      ['added', null, 4],
      ['added', null, 5],
      ['same', 5, 6],
      ['note', null, null],
    ]);
    expect(lineCount(file!)).toBe(6);
  });

  it('parses new, removed, renamed, binary and unusually named files, and mode changes', () => {
    const files = parseDiff(
      [
        'diff --git a/new.txt b/new.txt',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/new.txt',
        '@@ -0,0 +1 @@',
        '+hello',
        'diff --git a/gone.txt b/gone.txt',
        'deleted file mode 100644',
        '--- a/gone.txt',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-bye',
        'diff --git a/old name.txt b/new name.txt',
        'similarity index 100%',
        'rename from old name.txt',
        'rename to new name.txt',
        'diff --git a/logo.png b/logo.png',
        'Binary files a/logo.png and b/logo.png differ',
        'diff --git "a/\\303\\274ber \\"x\\".md" "b/\\303\\274ber \\"x\\".md"',
        '--- "a/\\303\\274ber \\"x\\".md"',
        '+++ "b/\\303\\274ber \\"x\\".md"',
        '@@ -1 +1 @@',
        '-a',
        '+b',
        'diff --git a/run.sh b/run.sh',
        'old mode 100644',
        'new mode 100755',
      ].join('\n'),
    );
    expect(files.map(({ path, from, kind, binary, mode }) => [path, from, kind, binary, mode])).toEqual([
      ['new.txt', undefined, 'added', false, undefined],
      ['gone.txt', undefined, 'removed', false, undefined],
      ['new name.txt', 'old name.txt', 'renamed', false, undefined],
      ['logo.png', undefined, 'changed', true, undefined],
      ['über "x".md', undefined, 'changed', false, undefined],
      ['run.sh', undefined, 'changed', false, '100644 → 100755'],
    ]);
  });
});

describe('ANSI parser', () => {
  it('splits a line into styled pieces and drops other sequences and control characters', () => {
    const { pieces, next } = readAnsi(
      'a\u001b[1;31mred\u001b[0m \u001b[38;5;28mgreen\u001b]0;title\u0007\u001b[2K!\u0000',
      PLAIN,
    );
    expect(pieces.map(({ text, look }) => [text, classesOf(look)])).toEqual([
      ['a', undefined],
      ['red', 'ansi-1 ansi-bold'],
      [' ', undefined],
      ['green', 'ansi-2'],
      ['!', 'ansi-2'],
    ]);
    expect(next).toEqual({ color: 2 });
  });

  it('keeps the final text of a line overwritten with carriage returns', () => {
    expect(plainOf({ raw: '10%\r50%\r100%\r', at, start: PLAIN })).toBe('100%');
  });
});

describe('Log book', () => {
  it('joins chunks that end anywhere, ignores repeated chunks and keeps the raw text', () => {
    const book = new LogBook();
    book.add({ seq: 1, at, text: 'one\n\u001b[32mtw' });
    book.add({ seq: 2, at, text: 'o\nthree\n' });
    book.add({ seq: 2, at, text: 'o\nthree\n' });
    book.add({ seq: 3, at, text: '\n[12 bytes of the log are left out here]\nlast' });
    expect(book.lines.map(plainOf)).toEqual([
      'one',
      'two',
      'three',
      '',
      '[12 bytes of the log are left out here]',
      'last',
    ]);
    // An ANSI color that is never reset continues on the next line.
    expect(book.lines[2]!.start).toEqual({ color: 2 });
    expect(book.lines.map(isGap).indexOf(true)).toBe(4);
    expect(book.text).toBe('one\n\u001b[32mtwo\nthree\n\n[12 bytes of the log are left out here]\nlast');
    expect(book.find('T')).toEqual([1, 2, 4, 5]);
  });
});

describe('Review comment', () => {
  it('includes its line, and the side for a line of the base', () => {
    const remark = { path: 'a.ts', body: ' Why? ' };
    expect(toComment({ ...remark, side: 'new', line: 4 })).toEqual({ path: 'a.ts', line: 4, body: 'Why?' });
    expect(toComment({ ...remark, side: 'old', line: 4 })).toEqual({
      path: 'a.ts',
      line: 4,
      side: 'old',
      body: 'Why?',
    });
    expect(toComment({ ...remark, side: 'file', line: null })).toEqual({ path: 'a.ts', body: 'Why?' });
    expect(toComment({ ...WHOLE, body: 'All.' })).toEqual({ body: 'All.' });
  });
});

describe('New lesson', () => {
  const lesson = {
    title: 'Keep: "calm"',
    type: 'rule',
    area: 'Über Häfen',
    anchor: 'src/a.ts',
    text: '---\nx',
  };

  it('derives its path from area and title', () => {
    expect(pathOfLesson(lesson)).toBe('lessons/uber-hafen/keep-calm.md');
    expect(pathOfLesson({ title: '…', area: '..' })).toBe('lessons/reviews/lesson.md');
  });

  it('escapes typed text so that it cannot break the front matter', () => {
    expect(fileOfLesson(lesson)).toBe(
      '---\ntype: "rule"\ntitle: "Keep: \\"calm\\""\nanchors:\n  - "src/a.ts"\n---\n\n---\nx\n',
    );
    expect(fileOfLesson({ ...lesson, title: 'a\n---\npinned: true', anchor: ' ' })).toContain(
      '\ntitle: "a\\n---\\npinned: true"\n---\n',
    );
  });
});
