import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { judgeLogin } from '../credentials.js';
import { type DeskConfig, type DeskFiles, readIfThere } from '../desk-files.js';
import { CODERS } from '../work/build-protocol.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { custom } from './custom.js';
import type { CoderDriver } from './driver.js';
import { coderPath, readGivenEnvironment } from './environment.js';

type Desk = Pick<DeskConfig, 'runtime' | 'wrapper_only'>;

/** Programs that this release drives by itself, by the coder's name. */
const PROGRAMS: Record<string, { runtime: string; coder: CoderDriver }> = {
  claude: { runtime: 'claude_code', coder: claude },
  codex: { runtime: 'codex', coder: codex },
};

/** How this desk runs a coder: with the coder's own program or with the owner's wrapper. */
export interface Means {
  coder: CoderDriver;
  executable: string;
  /** The runtime whose login the program needs; undefined for the owner's wrapper. */
  login: string | undefined;
}

export interface OfferedCoders {
  coders: string[];
  /** The coders that the owner's wrapper runs; absent without a wrapper. */
  wrapped?: string[];
  missing: { coder: string; reason: string }[];
}

/** Offers no coder when a program that every build needs is missing. */
export function offerCoders(files: DeskFiles, desk: Desk, lacking?: string): OfferedCoders {
  const names = desk.runtime === 'custom' ? [...CODERS] : [programOf(desk.runtime) ?? desk.runtime];
  const judged = names.map((coder) => ({
    coder,
    reason: lacking ? `${lacking} is missing on the machine` : explainLack(files, desk, coder),
  }));
  const coders = judged.flatMap(({ coder, reason }) => (reason === undefined ? [coder] : []));
  const wrapped = coders.filter((coder) => findMeans(files, desk, coder)?.coder === custom);
  return {
    coders,
    ...(wrapped.length > 0 && { wrapped }),
    missing: judged.flatMap(({ coder, reason }) => (reason === undefined ? [] : [{ coder, reason }])),
  };
}

/** Moves programs without a login to the missing coders, because every build of theirs would fail. */
export function withoutLoggedOut(
  offered: OfferedCoders,
  files: DeskFiles,
  desk: Desk & Pick<DeskConfig, 'home'>,
  now: Date,
): OfferedCoders {
  const environment = readGivenEnvironment(files);
  const lacks = offered.coders.flatMap((coder) => {
    const { login } = findMeans(files, desk, coder) ?? {};
    const state = login === undefined ? 'ok' : judgeLogin(login, desk.home, environment, now);
    return state === 'ok' ? [] : [{ coder, reason: LOGIN_WORDS[state] }];
  });
  const isLacking = (coder: string) => lacks.some((one) => one.coder === coder);
  return {
    ...offered,
    coders: offered.coders.filter((coder) => !isLacking(coder)),
    missing: [...offered.missing, ...lacks],
  };
}

const LOGIN_WORDS = {
  missing: 'no one is signed in on this desk',
  expired: 'its login on this desk has expired',
} as const;

function explainLack(files: DeskFiles, desk: Desk, coder: string): string | undefined {
  if (findMeans(files, desk, coder)) return undefined;
  if (desk.runtime !== 'custom') return readIfThere(files.installFailure) ?? 'it is not installed yet';
  return serves(files, coder)
    ? `${files.coder} is not there, or cannot be run`
    : `${files.wrappedCoders} does not list it`;
}

const programOf = (runtime: string): string | undefined =>
  Object.keys(PROGRAMS).find((name) => PROGRAMS[name]?.runtime === runtime);

export function findMeans(files: DeskFiles, desk: Desk, name: string): Means | undefined {
  const program = PROGRAMS[name];
  const mayHave = desk.runtime === 'custom' ? !desk.wrapper_only : program?.runtime === desk.runtime;
  const executable = program && mayHave ? findProgram(files, name) : undefined;
  if (program && executable) return { coder: program.coder, executable, login: program.runtime };
  if (desk.runtime !== 'custom' || !serves(files, name) || !isExecutable(files.coder)) return undefined;
  return { coder: custom, executable: files.coder, login: undefined };
}

/**
 * The owner may list the wrapper's coders, one name per line; without a list the wrapper runs all of them.
 */
function serves(files: Pick<DeskFiles, 'wrappedCoders'>, name: string): boolean {
  const list = readIfThere(files.wrappedCoders);
  return list === undefined || list.split('\n').some((line) => line.trim() === name);
}

const findProgram = (files: Pick<DeskFiles, 'runtimePrefix'>, name: string): string | undefined =>
  coderPath(files)
    .map((folder) => join(folder, name))
    .find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
