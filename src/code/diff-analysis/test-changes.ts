import type { ProgramLanguage } from '../languages.js';
import { isNamedTest, isTestPath, mayRunTests } from '../languages.js';
import { eachWithinLimit, type Note, type TimeLimit } from './notes.js';
import { moreOf, type SourceText } from './source-text.js';
import { countAssertions, countForgotten, countHollow, findSkips, leavesEarly } from './test-patterns.js';
import { type FoundTest, findTests } from './tests-of.js';

export interface ReadFile {
  path: string;
  from: string | null;
  stays: boolean;
  language: ProgramLanguage | undefined;
  before: SourceText | undefined;
  after: SourceText | undefined;
  testsBefore: readonly FoundTest[];
  testsAfter: readonly FoundTest[];
  skipsBefore: readonly string[];
  skipsAfter: readonly string[];
}

interface PlacedTest extends FoundTest {
  path: string;
  language: ProgramLanguage;
  words: ReadonlySet<string>;
}

const MOST_NAMES = 5;
/** A test counts as renamed when it shares more than this fraction of its words. */
const ALIKE_HERE = 0.75;
const ALIKE_ELSEWHERE = 0.85;

type Sources = Pick<ReadFile, 'path' | 'from' | 'stays' | 'before' | 'after'>;

export function readTests({ path, from, stays, before, after }: Sources, language: ReadFile['language']) {
  const tests = (source: SourceText | undefined) => (language && source ? findTests(language, source) : []);
  const skips = (at: string | null, source: SourceText | undefined) =>
    language && source && at !== null && mayRunTests(at, language) ? findSkips(language, source) : [];
  return {
    language,
    testsBefore: tests(before),
    testsAfter: tests(after),
    skipsBefore: skips(from, before),
    skipsAfter: skips(stays ? path : null, after),
  };
}

export function judgeTests(files: readonly ReadFile[], limit: TimeLimit): Note[] {
  const then = files.flatMap((file) => testsOf(file, file.from, file.testsBefore));
  const now = files.flatMap((file) => testsOf(file, file.stays ? file.path : null, file.testsAfter));
  const { pairs, gone, come } = matchTests(then, now, files);
  return [...noteGone(gone, files), ...noteSkips(files), ...noteWeak(pairs, come, limit)];
}

function testsOf({ language }: ReadFile, path: string | null, tests: readonly FoundTest[]): PlacedTest[] {
  if (!language || path === null || !mayRunTests(path, language)) return [];
  return tests.map((test) => ({ ...test, path, language, words: wordsOf(test.body) }));
}

const wordsOf = (body: string): ReadonlySet<string> => new Set(body.match(/\w+/g) ?? []);

interface Matched {
  pairs: [then: PlacedTest, now: PlacedTest][];
  gone: PlacedTest[];
  come: PlacedTest[];
}

/** Matches tests by name in the same file, then by name anywhere, then by equal words, then by similarity. */
function matchTests(
  then: readonly PlacedTest[],
  now: readonly PlacedTest[],
  files: readonly ReadFile[],
): Matched {
  const nowAt = new Map(files.map(({ from, path }) => [from ?? path, path]));
  const pairs: Matched['pairs'] = [];
  let gone = [...then];
  const come = new Set(now);
  const matchBy = (keyOf: (test: PlacedTest, path: string) => string) => {
    const byKey = groupBy([...come].reverse(), (test) => keyOf(test, test.path));
    gone = gone.filter((test) => {
      const found = byKey.get(keyOf(test, nowAt.get(test.path) ?? test.path))?.pop();
      if (!found) return true;
      come.delete(found);
      pairs.push([test, found]);
      return false;
    });
  };
  const tight = (text: string) => text.replace(/\s+/g, '');
  matchBy(({ name }, path) => `${path}\0${name}`);
  matchBy(({ body }) => tight(body));
  matchBy(({ name }) => name);
  const budget = { words: MOST_WORDS_COMPARED };
  gone = gone.filter((test) => {
    const found = findAlike(test, nowAt.get(test.path) ?? test.path, come, budget);
    if (!found) return true;
    come.delete(found);
    pairs.push([test, found]);
    return false;
  });
  return { pairs, gone, come: [...come] };
}

const MOST_COMPARED = 500;
const MOST_WORDS_COMPARED = 2_000_000;

function findAlike(
  test: PlacedTest,
  path: string,
  come: ReadonlySet<PlacedTest>,
  budget: { words: number },
): PlacedTest | undefined {
  let best: PlacedTest | undefined;
  let most = 0;
  let compared = 0;
  for (const other of come) {
    if (++compared > MOST_COMPARED || budget.words <= 0) break;
    budget.words -= 1 + Math.min(test.words.size, other.words.size);
    const likeness = shareOf(test.words, other.words);
    if (likeness < (other.path === path ? ALIKE_HERE : ALIKE_ELSEWHERE) || likeness <= most) continue;
    best = other;
    most = likeness;
  }
  return best;
}

function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  if (small.size < large.size * ALIKE_HERE) return 0;
  let both = 0;
  for (const word of small) if (large.has(word)) both += 1;
  return both === 0 ? 0 : both / (one.size + other.size - both);
}

function noteGone(gone: readonly PlacedTest[], files: readonly ReadFile[]): Note[] {
  const byPath = groupBy(gone, ({ path }) => path);
  const notes = [...byPath].map(([path, tests]): Note => {
    const names = listNames(tests.map(({ name }) => name));
    const text = `${tests.length === 1 ? 'A test is' : `${tests.length} tests are`} gone from ${path}: ${names}`;
    return { kind: 'tests_removed', path, count: tests.length, text };
  });
  // In languages without a parser, a test is recognized only by its file name.
  for (const { path, from, stays, testsBefore } of files) {
    const was = from ?? path;
    if (byPath.has(was) || !isNamedTest(was) || testsBefore.length > 0) continue;
    if (!stays) notes.push({ kind: 'tests_removed', path: was, text: `The test file ${was} is gone` });
    else if (was !== path && !isTestPath(path))
      notes.push({ kind: 'tests_removed', path: was, text: `The test file ${was} is called ${path} now` });
  }
  return notes;
}

function noteSkips(files: readonly ReadFile[]): Note[] {
  const then = files.flatMap(({ path, from, skipsBefore }) =>
    skipsBefore.map((line) => ({ path: from ?? path, line })),
  );
  const now = files.flatMap(({ path, skipsAfter }) => skipsAfter.map((line) => ({ path, line })));
  const lines = new Set(
    moreOf(
      now.map(({ line }) => line),
      then.map(({ line }) => line),
    ),
  );
  const fresh = now.filter(({ line }) => lines.has(line));
  const old = groupBy(
    then.filter(({ line }) => lines.has(line)),
    ({ path }) => path,
  );
  // A repeated line is new only as often as it was added.
  return [...groupBy(fresh, ({ path }) => path)].flatMap(([path, found]): Note[] => {
    const before = old.get(path)?.length ?? 0;
    const count = found.length - before;
    if (count <= 0) return [];
    const says = count === 1 ? 'A test is' : `${count} tests are`;
    const text = `${says} newly skipped, or run alone, in ${path}: ${listNames(found.map(({ line }) => line))}`;
    return [{ kind: 'tests_skipped', path, count, text }];
  });
}

/** Removes strings from a body, except compared constants. */
const unquote = (body: string): string =>
  body.replace(/(?<!\\)(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/g, '""');

function noteWeak(pairs: Matched['pairs'], come: readonly PlacedTest[], limit: TimeLimit): Note[] {
  const changed = pairs.map(([then, now]) => ({ ...now, old: then }));
  const fresh = come.map((test) => ({ ...test, old: undefined }));
  const weak = eachWithinLimit([...changed, ...fresh], limit, ({ old, ...now }) => {
    const why = old ? weakerThan(old, now) : hollowWords(now);
    return why === undefined ? [] : [{ path: now.path, name: now.name, why }];
  });
  return [...groupBy(weak, ({ path }) => path)].map(([path, tests]) => ({
    kind: 'tests_weakened',
    path,
    count: tests.length,
    text: `${tests.length === 1 ? 'A test asks' : `${tests.length} tests ask`} for less in ${path}: ${listNames(
      tests.map(({ name, why }) => `${name} (${why})`),
    )}`,
  }));
}

function hollowWords({ body, language }: PlacedTest): string | undefined {
  if (countHollow(body) > 0) return 'asks what always holds';
  return isEmpty(language, body) ? 'asks nothing' : undefined;
}

function weakerThan(then: PlacedTest, now: PlacedTest): string | undefined {
  if (then.body === now.body) return undefined;
  const { language } = now;
  if (countHollow(now.body) > countHollow(then.body)) return 'asks what always holds';
  const asked = countAssertions(language, unquote(then.body));
  const asks = countAssertions(language, unquote(now.body)) - countHollow(now.body);
  if (asked > 0 && asks <= 0) return 'asks nothing any more';
  if (leavesEarly(language, now.body) && !leavesEarly(language, then.body))
    return 'ends before it asks anything';
  if (countForgotten(now.body) > countForgotten(then.body)) return 'forgets what fails';
  if (asked >= 2 && asks * 2 <= asked) return `asks ${asks} of ${asked} things`;
  return undefined;
}

const isEmpty = (language: ProgramLanguage, body: string): boolean =>
  language === 'javascript'
    ? /^\s*,\s*(?:async\s*)?(?:function(?:\s+\w+)?\s*)?\([^)]*\)\s*(?:=>\s*)?\{\s*\}\s*(?:,\s*)?(?:\d+\s*)?$/.test(
        body,
      )
    : /^\s*(?:(?:pass|\.\.\.|end)\s*)?$/.test(body);

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

const LONGEST_NAME = 80;

function listNames(names: readonly string[]): string {
  const shown = names
    .slice(0, MOST_NAMES)
    .map((name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name));
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, and ${more} more` : '');
}
