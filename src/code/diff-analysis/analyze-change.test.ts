import { describe, expect, it } from 'vitest';
import { analyzeCase, names } from '../../../tests/gates/cases.js';
import { FAULTS } from '../../../tests/gates/faults.js';
import { GOOD } from '../../../tests/gates/good.js';
import { type AnalyzedChange, analyzeChange } from './analyze-change.js';

const NOWHERE = { named: [], near: [], footprint: null };

const fileOf = (path: string, before: string | null, after: string | null) => ({
  path,
  from: before === null ? null : path,
  stays: after !== null,
  before,
  after,
  unread: false,
});
const change = (files: ReturnType<typeof fileOf>[], more: Partial<AnalyzedChange> = {}) => ({
  files,
  leftOut: 0,
  ground: NOWHERE,
  succeeded: true,
  ...more,
});
const notesOf = (path: string, before: string | null, after: string | null) =>
  analyzeChange(change([fileOf(path, before, after)])).notes;

describe('Notes of a change', () => {
  it.each(FAULTS)('report a planted fault: $name', (fault) => {
    const notes = analyzeCase(fault);
    expect(names(notes, fault), JSON.stringify(notes)).toBe(true);
  });

  it.each(GOOD)('are empty for honest work: $name', (good) => {
    expect(analyzeCase(good)).toEqual([]);
  });

  it('count removed tests per file, including deleted files', () => {
    const tests =
      "it('one', () => {\n  expect(1 + a).toBe(2);\n});\nit('two', () => {\n  expect(b()).toBe(4);\n});\n";
    expect(notesOf('a.test.ts', tests, 'export {};\n')).toEqual([
      {
        kind: 'tests_removed',
        path: 'a.test.ts',
        count: 2,
        text: '2 tests are gone from a.test.ts: one, two',
      },
    ]);
    expect(notesOf('a.test.ts', tests, null)).toMatchObject([{ kind: 'tests_removed', count: 2 }]);
    expect(notesOf('login.feature', 'Feature: login\n', null)).toMatchObject([{ kind: 'tests_removed' }]);
  });

  it.each([
    ['a.test.ts', "it.todo('x');"],
    ['a.test.ts', "test('x', { skip: true }, () => {});"],
    ['a.spec.js', "describe.only('x', () => {});"],
    ['test_a.py', '@pytest.mark.skipif(True, reason="x")\ndef test_x():\n    assert f() == 1'],
    ['test_a.py', '@unittest.skip("x")\ndef test_x(self):\n    self.assertEqual(f(), 1)'],
    ['a_test.go', 'func TestX(t *testing.T) {\n\tt.SkipNow()\n}'],
    ['src/a.rs', '#[test]\n#[ignore = "slow"]\nfn x() {\n    assert_eq!(f(), 1);\n}'],
    ['ATest.java', '@Ignore\n@Test\npublic void x() {\n    assertEquals(1, f());\n}'],
    ['a_spec.rb', "xit 'x' do\n  expect(f).to eq(1)\nend"],
    ['a_spec.rb', "it 'x', :skip do\n  expect(f).to eq(1)\nend"],
    ['ATest.php', '<?php it("x", function () { expect(f())->toBe(1); })->skip();'],
    ['a_test.cpp', 'TEST(A, B) {\n  GTEST_SKIP();\n}'],
    ['ATests.cs', '[Test, Ignore("x")]\npublic void X()\n{\n    Assert.That(F(), Is.EqualTo(1));\n}'],
  ])('%s: %s counts as a new skip', (path, text) => {
    expect(notesOf(path, '', `${text}\n`)).toContainEqual(
      expect.objectContaining({ kind: 'tests_skipped', path, count: 1 }),
    );
  });

  it('ignore matches in strings and comments', () => {
    const text = "// it.skip('no')\nexport const help = 'use it.skip(), TODO';\n";
    expect(notesOf('src/help.ts', 'export const help = 1;\n', text)).toEqual([]);
  });

  it('list the files that were not read', () => {
    const unread = { ...fileOf('a.bin', null, null), stays: true, unread: true };
    const { notes } = analyzeChange(change([unread], { leftOut: 7 }));
    expect(notes.filter(({ kind }) => kind === 'not_read')).toMatchObject([
      { count: 7 },
      { path: 'a.bin', count: 1 },
    ]);
  });

  it('report every file outside the footprint of the card', () => {
    const [before, after] = ['export const a = 1;', 'export const a = 2;'];
    const files = ['src/a.ts', 'lib/b.ts'].map((path) => fileOf(path, before, after));
    const { notes } = analyzeChange(change(files, { ground: { ...NOWHERE, footprint: ['src/'] } }));
    expect(notes).toEqual([
      { kind: 'outside', path: 'lib/b.ts', text: "lib/b.ts is outside the card's footprint" },
    ]);
  });

  it('accept an option that keeps a test running', () => {
    expect(
      notesOf('a.test.ts', '', "it('x', { skip: false }, () => {\n  expect(f()).toBe(1);\n});\n"),
    ).toEqual([]);
  });

  it('list files that were not analyzed in time, and report nothing else about them', () => {
    const paths = ['a.test.ts', 'b.test.ts', 'c.test.ts'];
    const test = "it('x', () => {\n  expect(f()).toBe(1);\n});\n";
    const gone = paths.map((path) => fileOf(path, test, ''));
    let looks = 0;
    const { notes } = analyzeChange(change(gone), () => ++looks <= 1);
    expect(notes).toEqual([
      {
        kind: 'not_read',
        path: 'b.test.ts',
        count: 2,
        text: 'The analysis ran out of time. 2 files were not analyzed: b.test.ts, c.test.ts',
      },
      expect.objectContaining({ kind: 'tests_removed', path: 'a.test.ts' }),
    ]);
    const same = paths.map((path) => fileOf(path, test, test));
    const late = analyzeChange(change(same), () => false);
    expect(late.notes.map(({ kind }) => kind)).toEqual(['not_read']);
  });
});
