import { countAssertions, countForgotten, countHollow, leavesEarly } from './assertions.js';
import type { GateNote } from './gate.schemas.js';
import { moreOf } from './line-sets.js';
import type { ProgramLanguage } from './program-language.js';
import { findSkips } from './skips.js';
import type { SourceText } from './source-text.js';
import { isNamedTest, isTestPath, mayRunTests } from './test-paths.js';
import { type FoundTest, findTests } from './tests-of.js';

/** A file that changed, as far as it can be read. */
export interface ReadFile {
  path: string;
  /** Where it was before; null where it was not. */
  from: string | null;
  /** Whether it is there afterwards. */
  stays: boolean;
  language: ProgramLanguage | undefined;
  before: SourceText | undefined;
  after: SourceText | undefined;
}

interface PlacedTest extends FoundTest {
  path: string;
  language: ProgramLanguage;
  words: ReadonlySet<string>;
}

const MOST_NAMES = 5;
/** Of all words of two bodies so many have to be in both, for one to be the other under a new name. */
const ALIKE_HERE = 0.75;
const ALIKE_ELSEWHERE = 0.85;

export function judgeTests(files: readonly ReadFile[]): GateNote[] {
  const then = files.flatMap((file) => testsOf(file, file.from, file.before));
  const now = files.flatMap((file) => testsOf(file, file.stays ? file.path : null, file.after));
  const { pairs, gone, come } = matchTests(then, now, files);
  return [...noteGone(gone, files), ...noteSkips(files), ...noteWeak(pairs, come)];
}

function testsOf({ language }: ReadFile, path: string | null, source: SourceText | undefined): PlacedTest[] {
  if (!language || path === null || !source || !mayRunTests(path, language)) return [];
  return findTests(language, source).map((test) => ({ ...test, path, language, words: wordsOf(test.body) }));
}

const wordsOf = (body: string): ReadonlySet<string> => new Set(body.match(/\w+/g) ?? []);

interface Matched {
  pairs: [then: PlacedTest, now: PlacedTest][];
  gone: PlacedTest[];
  come: PlacedTest[];
}

/** The same test is one of the same name, first in its own file, else one of the same words, else one that is much alike. */
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
    const byKey = new Map<string, PlacedTest[]>();
    for (const test of come) {
      const key = keyOf(test, test.path);
      byKey.set(key, [...(byKey.get(key) ?? []), test]);
    }
    gone = gone.filter((test) => {
      const found = byKey.get(keyOf(test, nowAt.get(test.path) ?? test.path))?.shift();
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
  gone = gone.filter((test) => {
    const found = findAlike(test, nowAt.get(test.path) ?? test.path, come);
    if (!found) return true;
    come.delete(found);
    pairs.push([test, found]);
    return false;
  });
  return { pairs, gone, come: [...come] };
}

const MOST_COMPARED = 500;

function findAlike(test: PlacedTest, path: string, come: ReadonlySet<PlacedTest>): PlacedTest | undefined {
  let best: PlacedTest | undefined;
  let most = 0;
  let compared = 0;
  for (const other of come) {
    if (++compared > MOST_COMPARED) break;
    const likeness = shareOf(test.words, other.words);
    if (likeness < (other.path === path ? ALIKE_HERE : ALIKE_ELSEWHERE) || likeness <= most) continue;
    best = other;
    most = likeness;
  }
  return best;
}

function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let both = 0;
  for (const word of one) if (other.has(word)) both += 1;
  return both / (one.size + other.size - both);
}

function noteGone(gone: readonly PlacedTest[], files: readonly ReadFile[]): GateNote[] {
  const byPath = groupBy(gone, ({ path }) => path);
  const notes = [...byPath].map(([path, tests]): GateNote => {
    const names = listNames(tests.map(({ name }) => name));
    const text = `${tests.length === 1 ? 'A test is' : `${tests.length} tests are`} gone from ${path}: ${names}`;
    return { kind: 'tests_removed', path, count: tests.length, text };
  });
  // Of languages that are not read here a file that calls itself a test is all that is known.
  for (const { path, from, stays, before, language } of files) {
    const was = from ?? path;
    const unread = !before || !language || findTests(language, before).length === 0;
    if (byPath.has(was) || !isNamedTest(was) || !unread) continue;
    if (!stays) notes.push({ kind: 'tests_removed', path: was, text: `The test file ${was} is gone` });
    else if (was !== path && !isTestPath(path))
      notes.push({ kind: 'tests_removed', path: was, text: `The test file ${was} is called ${path} now` });
  }
  return notes;
}

function noteSkips(files: readonly ReadFile[]): GateNote[] {
  const skipsOf = (file: ReadFile, path: string | null, source: SourceText | undefined) =>
    file.language && source && path !== null && mayRunTests(path, file.language)
      ? findSkips(file.language, source).map((line) => ({ path, line }))
      : [];
  const then = files.flatMap((file) => skipsOf(file, file.from, file.before));
  const now = files.flatMap((file) => skipsOf(file, file.stays ? file.path : null, file.after));
  const lines = new Set(
    moreOf(
      now.map(({ line }) => line),
      then.map(({ line }) => line),
    ),
  );
  const fresh = now.filter(({ line }) => lines.has(line));
  // What stood there already is not counted again because another line says the same.
  return [...groupBy(fresh, ({ path }) => path)].flatMap(([path, found]): GateNote[] => {
    const before = then.filter((one) => one.path === path && lines.has(one.line)).length;
    const count = found.length - before;
    if (count <= 0) return [];
    const says = count === 1 ? 'A test is' : `${count} tests are`;
    const text = `${says} newly skipped, or run alone, in ${path}: ${listNames(found.map(({ line }) => line))}`;
    return [{ kind: 'tests_skipped', path, count, text }];
  });
}

/** Strings may hold any words: of a body only what stands between them is judged, but for constants that are compared. */
const unquote = (body: string): string => body.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, '""');

function noteWeak(pairs: Matched['pairs'], come: readonly PlacedTest[]): GateNote[] {
  const weak: { path: string; name: string; why: string }[] = [];
  for (const [then, now] of pairs) {
    const why = weakerThan(then, now);
    if (why) weak.push({ path: now.path, name: now.name, why });
  }
  for (const { path, name, body, language } of come) {
    const why =
      countHollow(body) > 0 ? 'asks what always holds' : isEmpty(language, body) ? 'asks nothing' : undefined;
    if (why) weak.push({ path, name, why });
  }
  return [...groupBy(weak, ({ path }) => path)].map(([path, tests]) => ({
    kind: 'tests_weakened',
    path,
    count: tests.length,
    text: `${tests.length === 1 ? 'A test asks' : `${tests.length} tests ask`} for less in ${path}: ${listNames(
      tests.map(({ name, why }) => `${name} (${why})`),
    )}`,
  }));
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

/** Nothing but the frame of a function. */
const isEmpty = (language: ProgramLanguage, body: string): boolean =>
  language === 'javascript'
    ? /^\s*,\s*(?:async\s*)?(?:function\s*\w*\s*)?\([^)]*\)\s*(?:=>)?\s*\{\s*\}\s*,?\s*(?:\d+\s*)?$/.test(
        body,
      )
    : /^\s*(?:pass|\.\.\.|end)?\s*$/.test(body);

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
