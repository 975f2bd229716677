import { describe, expect, it } from 'vitest';
import { anchorCandidates, enclosingSymbols, foldersAround, parseAnchor } from './anchors.js';
import { lessonIdOf, readLessonFile } from './lesson-files.js';

const file = (head: string, body = 'Keep it short.') => `---\n${head}\n---\n\n${body}\n`;

describe('a lesson file', () => {
  it('is Markdown with YAML front matter', () => {
    const { draft, warnings } = readLessonFile(
      'lessons/git/no-hooks.md',
      file(
        'type: rule\nanchors: [src/a.ts, "src/a.ts#A.b", src/]\npinned: true\nauthor: Ada\ncard: 12\nscope: backend\ntitle: No hooks',
      ),
    );
    expect(warnings).toEqual([]);
    expect(draft).toMatchObject({
      id: 'git/no-hooks',
      type: 'rule',
      title: 'No hooks',
      body: 'Keep it short.',
      pinned: true,
      author: 'Ada',
      card: '12',
      scope: 'backend',
      status: 'live',
      supersededBy: null,
    });
    expect(draft!.anchors.map(({ anchor }) => anchor.path)).toEqual(['src/a.ts', 'src/a.ts#A.b', 'src/']);
  });

  it.each([
    ['type is required', file('anchors: []')],
    ['type is required', file('')],
    ['the front matter is missing', 'Only words.'],
    ['the front matter is not valid YAML', file('type: [rule')],
    ['anchors must be a list of texts', file('type: rule\nanchors: src/a.ts')],
    ['anchors must be a list of texts', file('type: rule\nanchors: [1]')],
    ['pinned must be true or false', file('type: rule\npinned: maybe')],
    ['status must be one of: live, retired, superseded', file('type: rule\nstatus: old')],
    ['author must be a text', file('type: rule\nauthor: {a: 1}')],
  ])('that cannot be read is reported: %s', (problem, content) => {
    const { draft, warnings } = readLessonFile('lessons/a/b.md', content);
    expect(draft).toBeUndefined();
    expect(warnings).toEqual([`lessons/a/b.md: ${problem}`]);
  });

  it('survives an alias bomb', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]',
      'c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]',
      'd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]',
    ];
    expect(readLessonFile('lessons/a/b.md', file(`type: rule\n${bomb.join('\n')}`)).draft).toBeUndefined();
  });

  it('reads Windows line ends and a byte order mark', () => {
    const { draft } = readLessonFile(
      'lessons/a/b.md',
      '\uFEFF---\r\ntype: rule\r\n---\r\n# Head\r\n\r\nText\r\n',
    );
    expect(draft).toMatchObject({ title: 'Head', body: '# Head\n\nText' });
  });

  it('keeps the lesson and leaves out an invalid anchor', () => {
    const { draft, warnings } = readLessonFile(
      'lessons/a/b.md',
      file('type: rule\nanchors: [../x, src/a.ts]'),
    );
    expect(draft!.anchors.map(({ written }) => written)).toEqual(['src/a.ts']);
    expect(warnings).toEqual(['lessons/a/b.md: the anchor "../x" is invalid']);
  });

  it('leaves out an anchor that is longer than any path', () => {
    const { draft, warnings } = readLessonFile(
      'lessons/a/b.md',
      file(`type: rule\nanchors: [${'x'.repeat(2001)}]`),
    );
    expect(draft!.anchors).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it.each([
    'lessons/x.md',
    'notes/a/b.md',
    'lessons/a/b.txt',
    'lessons//b.md',
    'lessons/../b.md',
    'lessons/a/.md',
    'lessons/a\\b/c.md',
  ])('%s is not lessons/<area>/<slug>.md', (path) => {
    expect(lessonIdOf(path)).toBeUndefined();
  });
});

describe('an anchor', () => {
  it.each([
    '',
    '  ',
    '#x',
    'a.ts#',
    '#',
    '/etc/passwd',
    '/a/',
    '../a',
    'a/../b',
    'a\0b',
    'src/#x',
    'a.ts#A.',
    'a.ts#.b',
    'a.ts##',
    '..',
  ])('%j is invalid', (text) => {
    expect(parseAnchor(text)).toBeUndefined();
  });

  it.each([
    ['/', 'folder', '/'],
    ['src/', 'folder', 'src/'],
    ['./src//a.ts', 'file', 'src/a.ts'],
    ['a.ts#A.b', 'symbol', 'a.ts#A.b'],
    ['c#/a.cs', 'file', 'c#/a.cs'],
    ['c#/a.cs#A', 'symbol', 'c#/a.cs#A'],
    ['a..b/c', 'file', 'a..b/c'],
  ])('%j is a %s', (text, kind, path) => {
    expect(parseAnchor(text)).toEqual({ kind, path });
  });

  it('may name a folder without its slash', () => {
    expect(anchorCandidates({ kind: 'file', path: 'src' }).map(({ path }) => path)).toEqual(['src', 'src/']);
  });

  it('knows what lies around it', () => {
    expect(enclosingSymbols('a.ts#A.b.c')).toEqual(['a.ts#A.b', 'a.ts#A']);
    expect(foldersAround('a/b/c.ts')).toEqual(['a/b/', 'a/', '/']);
    expect(foldersAround('a/b/')).toEqual(['a/', '/']);
    expect(foldersAround('/')).toEqual([]);
  });
});
