import { isGeneratedPath, isMarkedGenerated, isTestPath, programLanguageOf } from '../languages.js';
import { findSuppressions, judgeCheckFile, OWN_CHECKS } from './check-files.js';
import { eachWithinLimit, type Note, noteNotAnalyzed, type TimeLimit } from './notes.js';
import { diffLines, moreOf, readSource, type SourceText } from './source-text.js';
import { findStrays, type TaskGround } from './strays.js';
import { findStubs, findUndone } from './stubs.js';
import { judgeTests, type ReadFile, readTests } from './test-changes.js';
import { countForgotten } from './test-patterns.js';

export interface ChangedFile {
  path: string;
  /** Null for an added file. */
  from: string | null;
  stays: boolean;
  before: string | null;
  after: string | null;
  /** Too large, or binary. */
  unread: boolean;
}

export interface AnalyzedChange {
  files: readonly ChangedFile[];
  leftOut: number;
  ground: TaskGround;
  succeeded: boolean;
}

export interface ChangeFacts {
  sources: number;
  tests: number;
  generated: number;
  secrets: number;
}

export interface Findings {
  notes: Note[];
  facts: ChangeFacts;
}

const MOST_NOTES = 100;

interface FileFindings {
  read: ReadFile;
  checks: Note[];
  stubs: Note[];
  awareness: Note[];
  secrets: number;
}

/** Returns notes for the reviewer, including one about files that were not analyzed in time. */
export function analyzeChange(
  { files, leftOut, ground, succeeded }: AnalyzedChange,
  hasTime: () => boolean = () => true,
): Findings {
  const limit: TimeLimit = { hasTime, late: new Set() };
  const analyzed = eachWithinLimit(files, limit, analyzeFile);
  const read = analyzed.map((one) => one.read);
  const tests = judgeTests(read, limit);
  const secrets = new Map(analyzed.map((one) => [one.read.path, one.secrets]));
  const notes = [
    ...noteLate(limit),
    ...noteUnread(files, leftOut),
    ...analyzed.flatMap(({ checks }) => checks),
    ...tests,
    ...analyzed.flatMap(({ stubs }) => stubs),
    ...analyzed.flatMap(({ awareness }) => awareness),
    ...[...secrets].flatMap(noteSecrets),
    ...(succeeded && limit.late.size === 0 ? noteNothing(files, read) : []),
  ];
  // Mention each path once.
  const named = new Set(notes.map(({ path }) => path));
  notes.push(...noteStrays(files, ground).filter(({ path }) => !named.has(path)));
  const shown = notes.slice(0, MOST_NOTES);
  const more = notes.length - shown.length;
  if (more > 0)
    shown.push({ kind: 'not_read', count: more, text: `There are ${more} more notes like these` });
  return { notes: shown, facts: gatherFacts(files, secrets) };
}

function analyzeFile(file: ChangedFile): FileFindings {
  const read = readFile(file);
  return {
    read,
    checks: noteChecks(file),
    stubs: noteStubs(read),
    awareness: noteTestAwareness(read),
    secrets: secretsIn(file),
  };
}

const noteLate = ({ late }: TimeLimit): Note[] => (late.size === 0 ? [] : [noteNotAnalyzed([...late])]);

function readFile({ path, from, stays, before, after }: ChangedFile): ReadFile {
  const language = programLanguageOf(stays ? path : (from ?? path));
  // A test file that was renamed to another extension is read in its old language.
  const old = from === null ? undefined : programLanguageOf(from);
  const read = (text: string | null, as: typeof language): SourceText | undefined =>
    text === null || as === undefined || isMarkedGenerated(text) ? undefined : readSource(as, text);
  const sources = { before: read(before, old ?? language), after: read(after, language) };
  return { path, from, stays, ...sources, ...readTests({ path, from, stays, ...sources }, language ?? old) };
}

function noteUnread(files: readonly ChangedFile[], leftOut: number): Note[] {
  const unread = files.filter(({ unread, path }) => unread && !isGeneratedPath(path));
  const notes: Note[] = [];
  if (leftOut > 0)
    notes.push({
      kind: 'not_read',
      count: leftOut,
      text: `The change is too large: ${leftOut} of its files were not read`,
    });
  const [first] = unread;
  if (first)
    notes.push({
      kind: 'not_read',
      path: first.path,
      count: unread.length,
      text: `${unread.length === 1 ? `${first.path} was` : `${first.path} and ${unread.length - 1} more were`} not read: too large, or no text`,
    });
  return notes;
}

function noteChecks({ path, from, stays, before, after }: ChangedFile): Note[] {
  const was = from ?? path;
  // A renamed file counts as removed under its old name.
  const said =
    judgeCheckFile(was, before, stays && was === path ? after : null) ??
    (was === path ? undefined : judgeCheckFile(path, null, after));
  if (before === after && was === path) return [];
  return said === undefined
    ? []
    : [{ kind: 'checks_changed', path: was === OWN_CHECKS ? was : path, text: said }];
}

function noteStubs({ path, stays, language, before, after, testsAfter }: ReadFile): Note[] {
  if (!language || !after || !stays) return [];
  const notes: Note[] = [];
  const tests = new Set(testsAfter.map(({ name }) => name));
  const stubs = findStubs(language, before, after).filter(
    // Test doubles are meant to do nothing.
    ({ name, emptied }) => !tests.has(name) && (emptied || !isTestPath(path)),
  );
  if (stubs.length > 0) {
    const says = stubs.map(
      ({ name, emptied }) => `${name} (${emptied ? 'its body is gone' : 'does nothing yet'})`,
    );
    const text = `${path} has ${stubs.length === 1 ? 'a function' : `${stubs.length} functions`} without work in it: ${says.slice(0, 5).join(', ')}`;
    notes.push({ kind: 'stub', path, count: stubs.length, text });
  }
  const undone = moreOf(findUndone(after), before ? findUndone(before) : []);
  if (undone.length > 0)
    notes.push({
      kind: 'stub',
      path,
      count: undone.length,
      text: `${path} says itself that something is not done: ${undone[0]!.slice(0, 120)}`,
    });
  return notes;
}

/** Code that behaves differently under test. */
const AWARE =
  /process\.env(?:\.|\[['"])(?:VITEST|JEST_WORKER_ID|NODE_ENV\b['"\]]*\s*===?\s*['"]test|MOCHA|CYPRESS|CI\b)|import\.meta\.vitest|PYTEST_CURRENT_TEST|['"]pytest['"]\s+in\s+sys\.modules|\btesting\.Testing\s*\(\s*\)|\bcfg!\s*\(\s*test\s*\)|strings\.HasSuffix\(os\.Args\[0\],\s*"\.test"|flag\.Lookup\("test\.v"\)|defined\?\s*(?:\(\s*)?(?:RSpec|Minitest)|Rails\.env\.test\?|defined\(\s*'PHPUNIT|runningUnitTests\s*\(|UnitTestDetector|getenv\(\s*["'](?:CI|TEST|TESTING|APP_ENV)["']|os\.environ(?:\.get)?[([]["'](?:CI|TEST|TESTING)["']|os\.Getenv\(\s*"(?:CI|TEST|TESTING)"/g;
const ENDS_WELL =
  /\bprocess\.exit\s*\(\s*(?:0\s*)?\)|\b(?:sys|os)\._?exit\s*\(\s*0\s*\)|\bos\.Exit\s*\(\s*0\s*\)|\bstd::process::exit\s*\(\s*0\s*\)|\bSystem\.exit\s*\(\s*0\s*\)|\bEnvironment\.Exit\s*\(\s*0\s*\)/g;

function noteTestAwareness({ path, stays, before, after }: ReadFile): Note[] {
  if (!after || !stays) return [];
  const notes: Note[] = [];
  const more = (count: (text: SourceText) => number) => count(after) - (before ? count(before) : 0);
  const inTests = isTestPath(path);
  const aware = more(({ codeWithStrings }) => [...codeWithStrings.matchAll(AWARE)].length);
  if (aware > 0 && !inTests)
    notes.push({ kind: 'test_aware', path, count: aware, text: `${path} asks whether it is being tested` });
  const well = more(({ code }) => [...code.matchAll(ENDS_WELL)].length);
  if (well > 0 && inTests)
    notes.push({
      kind: 'tests_weakened',
      path,
      count: well,
      text: `${path} ends the run as if all were well`,
    });
  const forgotten = more(({ code }) => countForgotten(code));
  if (forgotten > 0 && !inTests)
    notes.push({
      kind: 'swallowed',
      path,
      count: forgotten,
      text: `${path} catches failures and forgets them`,
    });
  const away = moreOf(findSuppressions(after.raw), before ? findSuppressions(before.raw) : []);
  if (away.length > 0)
    notes.push({
      kind: 'silenced',
      path,
      count: away.length,
      text: `${path} is taken out of a check: ${away[0]!.slice(0, 120)}`,
    });
  return notes;
}

const secretsIn = ({ path, before, after }: ChangedFile): number =>
  after === null || isGeneratedPath(path) || isTestPath(path)
    ? 0
    : countSecrets(diffLines(before ?? '', after).added);

const noteSecrets = ([path, count]: [path: string, count: number]): Note[] =>
  count === 0 ? [] : [{ kind: 'secret', path, count, text: `${path} seems to hold a secret` }];

function noteStrays(files: readonly ChangedFile[], ground: TaskGround): Note[] {
  return findStrays(files, ground).map(({ path, why }) => ({
    kind: 'outside',
    path,
    text: `${path} ${why}`,
  }));
}

function noteNothing(files: readonly ChangedFile[], read: readonly ReadFile[]): Note[] {
  if (files.length === 0)
    return [{ kind: 'no_change', text: 'The build says that it succeeded, and changes nothing' }];
  const tight = (source: SourceText | undefined) => source?.codeWithStrings.replace(/\s+/g, '') ?? '';
  const sameCode = read.every(
    ({ path, from, before, after }) =>
      from === path && before !== undefined && after !== undefined && tight(before) === tight(after),
  );
  return sameCode ? [{ kind: 'no_change', text: 'The build changes nothing but blanks and comments' }] : [];
}

function gatherFacts(files: readonly ChangedFile[], secrets: ReadonlyMap<string, number>): ChangeFacts {
  const count = (matches: (file: ChangedFile) => boolean) => files.filter(matches).length;
  const isSource = ({ path }: ChangedFile) => programLanguageOf(path) !== undefined && !isGeneratedPath(path);
  return {
    sources: count((file) => isSource(file) && !isTestPath(file.path)),
    tests: count((file) => file.stays && isTestPath(file.path) && isSource(file)),
    generated: count(
      ({ path, after }) =>
        (isGeneratedPath(path) && !/lock/.test(path)) || (after !== null && isMarkedGenerated(after)),
    ),
    secrets: [...secrets.values()].reduce((sum, count) => sum + count, 0),
  };
}

const SHAPES: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_\w{40,}\b|\bglpat-[\w-]{20,}\b/,
  /\bxox[abprs]-[\w-]{10,}\b/,
  /\bsk_live_[A-Za-z0-9]{16,}\b|\brk_live_[A-Za-z0-9]{16,}\b/,
  /\bsk-(?:ant-|proj-)?[\w-]{32,}\b/,
  /\bAIza[\w-]{35}\b/,
  /\beyJ[\w-]{15,500}\.eyJ[\w-]{15,}\.[\w-]{10,}\b/,
  /\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqp):\/\/[^\s:@/]{1,60}:[^\s@/]{6,}@(?!localhost|127\.)/,
];
const ASSIGNED =
  /\b(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?key|client[_-]?secret)\b["']?\s*[:=]\s*["']([^"'\s]{12,200})["']/i;
const EXAMPLE =
  /example|changeme|placeholder|dummy|sample|your[-_]|xxxx|\*{3,}|<[^<>]+>|\$\{|\{\{|test|fake|process\.env|os\.environ/i;

const countSecrets = (lines: readonly string[]): number =>
  lines.filter((line) => {
    if (SHAPES.some((shape) => shape.test(line))) return true;
    const value = ASSIGNED.exec(line)?.[1];
    return value !== undefined && !EXAMPLE.test(line) && /\d/.test(value) && /[A-Za-z]/.test(value);
  }).length;
