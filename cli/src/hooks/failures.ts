import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Checkout } from '../checkout.js';
import { cleanLine } from '../output/clean.js';
import { stateFolder } from '../state.js';
import type { Program } from './event.js';

type Environment = Record<string, string | undefined>;

/** Hooks never fail the program, so their errors are recorded for `guildhall doctor` and the next session. */
export interface HookFailure {
  at: string;
  hook: string;
  program: Program;
  /** The git folder that all worktrees of the repository share. */
  repository: string;
  sentence: string;
  /**
   * True if the service refused the request. Connection errors are temporary and not shown to the session.
   */
  refused: boolean;
  told: boolean;
}

/** Only the last failure of each hook, program and repository is kept, until the hook succeeds again. */
export interface HookPlace {
  hook: string;
  program: Program;
  checkout: Checkout;
  /** Set once the hook has used the service. */
  asked?: boolean;
}

const MOST_KEPT = 50;
const LONGEST_SENTENCE = 500;

const pathOf = (env: Environment) => join(stateFolder(env), 'hook-failures.json');

export function listFailures(env: Environment, checkout?: Checkout): HookFailure[] {
  let all: HookFailure[];
  try {
    const value: unknown = JSON.parse(readFileSync(pathOf(env), 'utf8'));
    all = Array.isArray(value) ? value.filter(isFailure) : [];
  } catch {
    return [];
  }
  return checkout ? all.filter(({ repository }) => repository === checkout.commonFolder) : all;
}

const isFailure = (value: unknown): value is HookFailure =>
  typeof value === 'object' &&
  value !== null &&
  ['at', 'hook', 'program', 'repository', 'sentence'].every(
    (name) => typeof (value as Record<string, unknown>)[name] === 'string',
  );

const isAt =
  ({ hook, program, checkout }: HookPlace) =>
  (each: HookFailure) =>
    each.hook === hook && each.program === program && each.repository === checkout.commonFolder;

export function keepFailure(
  env: Environment,
  place: HookPlace,
  { sentence, refused }: Pick<HookFailure, 'sentence' | 'refused'>,
): void {
  const { hook, program, checkout } = place;
  const others = listFailures(env).filter((each) => !isAt(place)(each));
  const failure = {
    at: new Date().toISOString(),
    hook,
    program,
    repository: checkout.commonFolder,
    sentence: cleanLine(sentence).slice(0, LONGEST_SENTENCE),
    refused,
    told: false,
  };
  write(env, [...others, failure].slice(-MOST_KEPT));
}

export function clearFailure(env: Environment, place: HookPlace): void {
  const all = listFailures(env);
  const rest = all.filter((each) => !isAt(place)(each));
  if (rest.length < all.length) write(env, rest);
}

/** Returns refusals that no session has shown yet, and marks them as shown. */
export function takeUnreported(env: Environment, checkout: Checkout): HookFailure[] {
  const all = listFailures(env);
  const unreported = all.filter(
    ({ repository, refused, told }) => repository === checkout.commonFolder && refused && !told,
  );
  if (unreported.length > 0)
    write(
      env,
      all.map((each) => (unreported.includes(each) ? { ...each, told: true } : each)),
    );
  return unreported;
}

/** Written to a draft and renamed, because several hooks may finish at once. Write errors are ignored. */
function write(env: Environment, failures: HookFailure[]): void {
  const path = pathOf(env);
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(failures, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    rmSync(draft, { force: true });
  }
}
