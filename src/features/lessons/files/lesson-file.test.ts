import { describe, expect, it } from 'vitest';
import { enclosingSymbols, foldersAround, parseAnchor } from './anchors.js';
import { lessonIdOf, readLessonFile } from './lesson-file.js';

const file = (head: string, body = 'Keep it short.') => `---\n${head}\n---\n\n${body}\n`;

describe('Lesson file', () => {
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
  ])('is reported when it cannot be read: %s', (problem, content) => {
    const { draft, warnings } = readLessonFile('lessons/a/b.md', content);
    expect(draft).toBeUndefined();
    expect(warnings).toEqual([`lessons/a/b.md: ${problem}`]);
  });

  it('survives a YAML alias bomb', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]',
      'c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]',
      'd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]',
    ];
    expect(readLessonFile('lessons/a/b.md', file(`type: rule\n${bomb.join('\n')}`)).draft).toBeUndefined();
  });

  it.each([
    ['20,000 keys', Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join('\n'), /larger than 16 KB/],
    ['1,000 keys', Array.from({ length: 1000 }, (_, n) => `k${n}: 1`).join('\n'), /more keys/],
    ['a deep list', `a: ${'['.repeat(21)}${']'.repeat(21)}`, /more keys/],
    ['wrong escapes', `a: "${'\\q'.repeat(101)}"`, /more keys/],
    [
      '201 anchors',
      `anchors: [${Array.from({ length: 201 }, (_, n) => `f${n}.ts`)}]`,
      /more than 200 anchors/,
    ],
  ])('with %s is capped, with a warning', (_, head, problem) => {
    const { draft, warnings } = readLessonFile('lessons/a/b.md', file(`type: rule\n${head}`));
    expect(draft).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    ['of 16 KB', `note: ${'x'.repeat(16 * 1024 - 'type: rule\nnote: \n'.length)}`],
    [
      'with 200 anchors in a list',
      `anchors:\n${Array.from({ length: 200 }, (_, n) => `  - "src/f${n}.ts#A.b"`).join('\n')}`,
    ],
    [
      'with 200 anchors in a line',
      `anchors: [${Array.from({ length: 200 }, (_, n) => `src/f${n}.ts`).join(', ')}]`,
    ],
    ['with an alias', 'author: &me Ada\nscope: *me'],
  ])('with front matter %s is read', (_, head) => {
    expect(readLessonFile('lessons/a/b.md', file(`type: rule\n${head}`)).warnings).toEqual([]);
  });

  it('has a body of at most 32 KB', () => {
    expect(readLessonFile('lessons/a/b.md', file('type: rule', 'x'.repeat(32_768))).warnings).toEqual([]);
    expect(readLessonFile('lessons/a/b.md', file('type: rule', 'x'.repeat(32_769))).warnings).toEqual([
      'lessons/a/b.md: the body is longer than 32 KB',
    ]);
  });

  it.each([
    ['# Head', 'Head'],
    ['Words.\n\n### Head of it ##\nMore.', 'Head of it'],
    ['# About C#', 'About C#'],
    ['#   \n## \t Second', 'Second'],
    ['# # #', '#'],
    ['#hashtag\n####### seven\n#', 'b'],
    [`# ${'h'.repeat(600)}`, 'h'.repeat(500)],
  ])('takes its title from the first heading: %j', (body, title) => {
    expect(readLessonFile('lessons/a/b.md', file('type: rule', body)).draft?.title).toBe(title);
  });

  it.each([
    ['superseded_by: a/c', 'superseded'],
    ['superseded_by: a/c\nstatus: live', 'live'],
    ['superseded_by: a/c\nstatus: retired', 'retired'],
    ['superseded_by:', 'live'],
  ])('with %j is %s', (head, status) => {
    expect(readLessonFile('lessons/a/b.md', file(`type: rule\n${head}`)).draft?.status).toBe(status);
  });

  it.each([
    ['---\ntype: rule\n---', ''],
    ['---  \ntype: rule\n--- \t\nBody', 'Body'],
    ['---\ntype: rule\n----\n---\nBody', undefined],
    ['---\ntype: rule\n---x\n---\nBody', undefined],
    ['----\ntype: rule\n---\nBody', undefined],
    [' ---\ntype: rule\n---\nBody', undefined],
  ])('has its front matter between two lines of ---: %j', (content, body) => {
    expect(readLessonFile('lessons/a/b.md', content).draft?.body).toBe(body);
  });

  it('is read with Windows line ends and a byte order mark', () => {
    const { draft } = readLessonFile(
      'lessons/a/b.md',
      '\uFEFF---\r\ntype: rule\r\n---\r\n# Head\r\n\r\nText\r\n',
    );
    expect(draft).toMatchObject({ title: 'Head', body: '# Head\n\nText' });
  });

  it('keeps the lesson without an invalid anchor', () => {
    const { draft, warnings } = readLessonFile(
      'lessons/a/b.md',
      file('type: rule\nanchors: [../x, src/a.ts]'),
    );
    expect(draft!.anchors.map(({ written }) => written)).toEqual(['src/a.ts']);
    expect(warnings).toEqual(['lessons/a/b.md: the anchor "../x" is invalid']);
  });

  it.each([
    'lessons/x.md',
    'notes/a/b.md',
    'lessons/a/b.txt',
    'lessons//b.md',
    'lessons/../b.md',
    'lessons/a/.md',
    'lessons/a\\b/c.md',
  ])('is refused at %s, which is not lessons/<area>/<slug>.md', (path) => {
    expect(lessonIdOf(path)).toBeUndefined();
  });
});

describe('Anchor', () => {
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
    'a/..',
    `${'x/'.repeat(20_000)}../a`,
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
    ['...', 'file', '...'],
    ['x/'.repeat(20_000), 'file', 'x/'.repeat(20_000)],
  ])('%j is a %s', (text, kind, path) => {
    expect(parseAnchor(text)).toEqual({ kind, path });
  });

  it('has enclosing symbols, folders and places', () => {
    expect(enclosingSymbols('a.ts#A.b.c')).toEqual(['a.ts#A.b', 'a.ts#A']);
    expect(foldersAround('a/b/c.ts')).toEqual(['a/b/', 'a/', '/']);
    expect(foldersAround('a/b/')).toEqual(['a/', '/']);
    expect(foldersAround('/')).toEqual([]);
  });
});
