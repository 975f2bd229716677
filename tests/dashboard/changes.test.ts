import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../dashboard/src/builds/changes/blocks.js';
import { languageOf } from '../../dashboard/src/builds/changes/colours/languages.js';
import { addLines, fillGap, gapsOf, NO_CONTEXT, runsOf } from '../../dashboard/src/builds/changes/context.js';
import { type DiffFile, parseDiff } from '../../dashboard/src/builds/changes/diff.js';
import {
  buildTree,
  filesIn,
  foldersIn,
  rowsOf,
  type TreeNode,
} from '../../dashboard/src/builds/changes/file-tree.js';

const named = (nodes: TreeNode[], isFolded = (_path: string) => false) =>
  rowsOf(nodes, isFolded).map(({ node, level }) => `${'  '.repeat(level - 1)}${node.name}`);

describe('Tree of changed files', () => {
  const paths = [
    'z.md',
    'src/a/b/one.ts',
    'src/a/b/two.ts',
    'docs/x.md',
    'src/c/page-10.ts',
    'src/c/page-9.ts',
  ];

  it('merges folders that contain a single folder and lists folders before files', () => {
    const tree = buildTree(paths);
    expect(named(tree)).toEqual([
      'docs',
      '  x.md',
      'src',
      '  a/b',
      '    one.ts',
      '    two.ts',
      '  c',
      '    page-9.ts',
      '    page-10.ts',
      'z.md',
    ]);
    expect(named(buildTree(['src/a/b/one.ts']))).toEqual(['src/a/b', '  one.ts']);
    expect(foldersIn(tree)).toEqual(['docs/', 'src/', 'src/a/b/', 'src/c/']);
    expect(filesIn(tree).slice(0, 2)).toEqual(['docs/x.md', 'src/a/b/one.ts']);
  });

  it('hides the content of folded folders and lists all files below a folder', () => {
    const tree = buildTree(paths);
    expect(named(tree, (path) => path === 'src/')).toEqual(['docs', '  x.md', 'src', 'z.md']);
    expect(tree[1]).toMatchObject({ files: expect.arrayContaining(['src/c/page-9.ts', 'src/a/b/two.ts']) });
  });
});

const fileOf = (...hunks: string[]): DiffFile =>
  parseDiff(['diff --git a/a.ts b/a.ts', '--- a/a.ts', '+++ b/a.ts', ...hunks, ''].join('\n'))[0]!;

/** The change adds two lines before line 11. */
const FILE = fileOf(
  '@@ -10,7 +10,9 @@ function a()',
  ' ten',
  '+new',
  '+new',
  ' 11',
  ' 12',
  ' 13',
  ' 14',
  ' 15',
  ' 16',
  '@@ -40,5 +42,4 @@',
  ' 40',
  '-gone',
  ' 42',
  ' 43',
  ' 44',
);

describe('Lines omitted from a diff', () => {
  it('lie before, between and after the hunks, by new line numbers', () => {
    expect(gapsOf(FILE)).toEqual([
      { first: 1, last: 9, shift: 0, above: false, below: true },
      { first: 19, last: 41, shift: -2, above: true, below: true },
      { first: 46, last: undefined, shift: -1, above: true, below: false },
    ]);
    expect(gapsOf(FILE, 45)[2]).toBeUndefined();
  });

  it('are empty when the file is new or the hunk covers its start or end', () => {
    expect(gapsOf(fileOf('@@ -1,2 +1,3 @@', ' a', '+b', ' c'))).toEqual([undefined, undefined]);
    expect(gapsOf({ ...FILE, kind: 'added' })).toEqual([]);
    expect(gapsOf({ ...FILE, submodule: true })).toEqual([]);
    const removed = fileOf('@@ -1,2 +0,0 @@', '-a', '-b');
    expect(gapsOf(removed)).toEqual([undefined, undefined]);
  });

  it('are revealed step by step with their old and new line numbers', () => {
    const context = addLines(FILE, NO_CONTEXT, { from: 19, total: 60, lines: ['x', 'y'] });
    const gap = gapsOf(FILE, context.total)[1]!;
    expect(fillGap(gap, context)).toEqual([
      {
        lines: [
          { kind: 'same', text: 'x', old: 17, new: 19 },
          { kind: 'same', text: 'y', old: 18, new: 20 },
        ],
      },
      { gap: { first: 21, last: 41, shift: -2, above: true, below: true } },
    ]);
    const rest = Array.from({ length: 21 }, () => 'z');
    const all = addLines(FILE, context, { from: 21, total: 60, lines: rest });
    expect(fillGap(gap, all)).toHaveLength(1);
    expect(runsOf(FILE, NO_CONTEXT)).toHaveLength(2);
    expect(runsOf(FILE, all)).toHaveLength(1);
  });
});

describe('Rows of a long file', () => {
  it('are grouped into blocks: small hunks together, a large hunk split', () => {
    expect(blocksOf(FILE, false)).toMatchObject([{ parts: [{ hunk: 0 }, { hunk: 1 }] }]);
    const many = Array.from({ length: 300 }, (_, at) => `-${at}`);
    const long = fileOf('@@ -1,300 +1,300 @@', ...many, ...many.map((line) => `+${line}`));
    expect(blocksOf(long, false).map(({ count }) => count)).toEqual([121, 121, 121, 121, 121]);
    expect(blocksOf(long, true)).toHaveLength(3);
    expect(blocksOf(long, true)[2]!.parts[0]!.begins).toBe(false);
  });
});

describe('File language', () => {
  it('is derived from the file name', () => {
    const told = ['src/a.TSX', 'Dockerfile', 'deploy/Makefile', 'a.min.js', 'README', 'x.unknown', '.json'];
    expect(told.map(languageOf)).toEqual([
      'tsx',
      'docker',
      'make',
      'javascript',
      undefined,
      undefined,
      'json',
    ]);
  });
});
