import { describe, expect, it } from 'vitest';
import { crossSection } from '../../../tests/support/deep.js';
import { analyzeChange } from './analyze-change.js';

const LANGUAGES = [
  'a.test.ts',
  'test_a.py',
  'a_test.go',
  'a.rs',
  'ATest.java',
  'a_spec.rb',
  'ATest.php',
  'a_test.c',
  'a_test.cpp',
  'ATests.cs',
  'package.json',
  '.guildhall/checks.yaml',
];

/** Fragments that start a match of the patterns, and text that the patterns skip. */
const PIECES = [
  ...'( ) { } [ ] < > , . ; : = ! @ # $ / \\ " \' ` | & *'.split(' '),
  ...['a', 'a ', 'a.', 'a,', 'a:a=', '1,', '"",', "'', ", '\\"', '//', '/*', '/[', '#[', '#![', '${', '`${'],
  ...['@Test ', '@Property', '@a', '[Test]', '[Fact] ', '[a(a),', '#[test]', '#[cfg_attr(', '@EnabledIf('],
  ...['START_TEST(', 'START_TEST(a)', 'TEST(', 'TEST_CASE(', 'Test(a)', 'TEST(A,B){', 'SECTION("a"){'],
  ...["it('", "it('a',it(", 'it.each``', 'it<', 'test.a', 'describe.only', 'it(\n', "it 'a' do\n", 'test "a'],
  ...['def test_(', 'def test_a()\n', 'def a():\n ', 'def a\n', 'func TestA(', 'fn a(){', 'function a(){'],
  ...['a(){', 'a(){}', 'a()', 'a(a(', '=> (', 'a=()=>(', 'a=(a)=>', 'class A{', 'public ', 'return "",'],
  ...['expect(', 'expect("', 'assert ', 'ASSERT', 'assertEquals(', 'ok(', 'catch(', 'except ', 'rescue '],
  ...['skip?', 'skip:', 'DISABLED_', 'throw new ', 'TODO ', 'not ', 'process.env', 'getenv(', 'defined?'],
  ...[
    'password="aaaaaaaaaaa1" <',
    '-eyJaaaaaaaaaaaaaaaaa',
    'sk-',
    'redis://a:',
    '-----BEGIN A ',
    'threshold',
  ],
  ...['//go:build ', '/* eslint-disable ', '# type: ', '"test', '"test" :', 'exclude', '"""', "'''", 'f"'],
];
/** Prefixes of patterns that could backtrack over everything that follows. */
const BEGINNINGS = [
  ...['it', 'it(', 'catch', 'catch(a)', '.catch((', 'except:', 'rescue\n', 'expect(', 'expect(0)', 'assert'],
  ...['assertEquals', 'process.exit(', 'defined?', 'threshold:', '/* eslint-disable', '@Test', '[Test', '#['],
  ...[
    "it('a',()",
    "it('a',function",
    'a(){return',
    'a(){return(0',
    'a(){return "a"',
    'def test_a():',
    'raise',
  ],
];
const TAILS = [' ', '\n', 'a', '1', '(', '""', '\\"', ',', '.'];

const texts = (length: number) =>
  [
    ...PIECES.map((piece) => ({ name: piece, of: (size: number) => piece.repeat(size / piece.length) })),
    ...BEGINNINGS.flatMap((begin) =>
      TAILS.map((tail) => ({
        name: `${begin} and then ${tail}`,
        of: (size: number) => `${begin + tail.repeat(size / tail.length)}x`,
      })),
    ),
    // Nested bodies with their closing brackets.
    ...['a(){', "it('a',()=>{", '(', '[', 'a(', 'fn a(b({'].map((piece) => ({
      name: `${piece} within each other`,
      of: (size: number) => `${piece.repeat(size / 2 / piece.length)}${')}]})'.repeat(size / 10)}`,
    })),
  ].map(({ name, of }) => ({ name, whole: of(length), half: of(length / 2) }));

/** Analyzes the text as a change that adds one line. */
const analyze = (path: string, text: string): void => {
  const file = { path, from: path, stays: true, before: text, after: `${text}\nx`, unread: false };
  analyzeChange({
    files: [file],
    leftOut: 0,
    ground: { named: [], near: [], footprint: null },
    succeeded: true,
  });
};

/** Uses CPU time, because other processes share the machine. */
function millisecondsOf(work: () => void): number {
  const { user, system } = process.cpuUsage();
  work();
  const after = process.cpuUsage();
  return (after.user + after.system - user - system) / 1000;
}

const SIZE = 100_000;
const TRIES = 5;
/**
 * Linear analysis takes twice as long for twice the text, and quadratic analysis takes four times as long.
 */
const MOST_GROWTH = 3;

/** CPU time for 100 KB of plain code, doubled to allow for noise. */
function noiseOf(path: string): number {
  const plain = 'call(one, two);\n'.repeat(SIZE / 16);
  analyze(path, plain);
  return 2 * millisecondsOf(() => analyze(path, plain));
}

function growsTooFast(
  path: string,
  { whole, half }: { whole: string; half: string },
  noise: number,
): boolean {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const long = millisecondsOf(() => analyze(path, whole));
    if (long <= noise) return false;
    if (long <= MOST_GROWTH * millisecondsOf(() => analyze(path, half)) + noise) return false;
  }
  return true;
}

describe('Diff analysis of 100 KB of repeated fragments', () => {
  it.each(LANGUAGES)('takes time proportional to its length in %s', (path) => {
    const noise = noiseOf(path);
    const turn = LANGUAGES.indexOf(path);
    const slow = crossSection(texts(SIZE), 12, turn).filter((text) => growsTooFast(path, text, noise));
    expect(slow.map(({ name }) => name)).toEqual([]);
  });
});
