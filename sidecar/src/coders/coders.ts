import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { judgeLogin } from '../credentials.js';
import { type DeskConfig, type DeskFiles, readIfThere } from '../desk-files.js';
import { CODERS } from '../work/build-protocol.js';
import { fileCoder, opencode, openhands } from './acp-coders.js';
import { claude } from './claude.js';
import { type CoderFile, isFurtherName, readCoderFiles } from './coder-files.js';
import { codex } from './codex.js';
import { custom } from './custom.js';
import type { CoderDriver } from './driver.js';
import { coderPath, readGivenEnvironment, withoutForbidden } from './environment.js';
import { pi } from './pi.js';
import type { Versions } from './versions.js';

type Desk = Pick<DeskConfig, 'runtime' | 'wrapper_only'>;

/** Coders that this release can run without a wrapper, by name. */
const PROGRAMS: Record<string, { runtime: string; coder: CoderDriver; login?: true }> = {
  claude: { runtime: 'claude_code', coder: claude, login: true },
  codex: { runtime: 'codex', coder: codex, login: true },
  opencode: { runtime: 'opencode', coder: opencode },
  pi: { runtime: 'pi', coder: pi },
  openhands: { runtime: 'openhands', coder: openhands },
};

/** How this desk runs a coder: with the coder's own program or with the owner's wrapper. */
export interface Means {
  coder: CoderDriver;
  executable: string;
  /** The command to ask for the version; undefined for the owner's wrapper. */
  command?: readonly string[];
  /** The runtime whose login the desk lends to the program; undefined for programs without such a login. */
  login: string | undefined;
  /** Variables for this program, in addition to the environment of every coder. */
  environment?: Record<string, string>;
}

export interface OfferedCoders {
  coders: string[];
  /** The coders that the owner's wrapper runs; absent without a wrapper. */
  wrapped?: string[];
  missing: { coder: string; reason: string }[];
}

/** Offers no coder when a program that every build needs is missing. */
export function offerCoders(files: DeskFiles, desk: Desk, lacking?: string): OfferedCoders {
  const offered: OfferedCoders = { coders: [], missing: [] };
  const wrapped: string[] = [];
  for (const coder of listNames(files, desk)) {
    const means = findMeans(files, desk, coder);
    const reason = lacking
      ? `${lacking} is missing on the machine`
      : !means && explainLack(files, desk, coder);
    if (reason || !means) {
      offered.missing.push({ coder, reason: reason || 'it cannot be run' });
      continue;
    }
    offered.coders.push(coder);
    if (means.coder === custom) wrapped.push(coder);
  }
  return { ...offered, ...(wrapped.length > 0 && { wrapped }) };
}

/** The program version of each coder, or null when it is not known yet. */
export function readVersions(
  files: DeskFiles,
  desk: Desk,
  coders: string[],
  versions: Versions,
): Record<string, string | null> {
  const entries = coders.map((coder) => {
    const command = findMeans(files, desk, coder)?.command;
    return [coder, command ? versions.of(command) : null] as const;
  });
  return Object.fromEntries(entries);
}

/** All coders that this desk reports, whether it can run them or not. */
function listNames(files: DeskFiles, desk: Desk): string[] {
  const further = desk.wrapper_only ? [] : readCoderFiles(files).map(({ name }) => name);
  if (desk.runtime !== 'custom') return [programOf(desk.runtime) ?? desk.runtime, ...further];
  const listed = (readIfThere(files.wrappedCoders) ?? '').split('\n').map((line) => line.trim());
  return [...new Set([...CODERS, ...further, ...listed.filter(isFurtherName)])];
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

function explainLack(files: DeskFiles, desk: Desk, coder: string): string {
  const file = findCoderFile(files, desk, coder);
  if (file) return 'fault' in file ? file.fault : `${file.command[0]} does not exist or is not executable`;
  if (desk.runtime !== 'custom') return readIfThere(files.installFailure) ?? 'it is not installed yet';
  return serves(files, coder)
    ? `${files.coder} does not exist or is not executable`
    : `${files.wrappedCoders} does not list it`;
}

const programOf = (runtime: string): string | undefined =>
  Object.keys(PROGRAMS).find((name) => PROGRAMS[name]?.runtime === runtime);

export function findMeans(files: DeskFiles, desk: Desk, name: string): Means | undefined {
  const program = PROGRAMS[name];
  const mayHave = desk.runtime === 'custom' ? !desk.wrapper_only : program?.runtime === desk.runtime;
  const executable = program && mayHave ? findProgram(files, name) : undefined;
  if (program && executable)
    return {
      coder: program.coder,
      executable,
      command: [executable],
      login: program.login && program.runtime,
    };
  const file = findCoderFile(files, desk, name);
  const own = file && findFileMeans(files, file);
  if (own) return own;
  if (desk.runtime !== 'custom' || !serves(files, name) || !isExecutable(files.coder)) return undefined;
  return { coder: custom, executable: files.coder, login: undefined };
}

const findCoderFile = (files: DeskFiles, desk: Desk, name: string): CoderFile | undefined =>
  desk.wrapper_only || PROGRAMS[name] ? undefined : readCoderFiles(files).find((file) => file.name === name);

function findFileMeans(files: DeskFiles, file: CoderFile): Means | undefined {
  if ('fault' in file) return undefined;
  const { command, environment } = file;
  const executable = findProgram(files, command[0]!);
  if (!executable) return undefined;
  return {
    coder: fileCoder(command),
    executable,
    command: [executable, ...command.slice(1)],
    login: undefined,
    environment: withoutForbidden(environment),
  };
}

/** The owner can list the wrapper's coders, one name per line. Without a list, it runs all built-in coders. */
function serves(files: Pick<DeskFiles, 'wrappedCoders'>, name: string): boolean {
  const list = readIfThere(files.wrappedCoders);
  if (list === undefined) return (CODERS as readonly string[]).includes(name);
  return list.split('\n').some((line) => line.trim() === name);
}

const findProgram = (files: Pick<DeskFiles, 'runtimePrefix'>, name: string): string | undefined =>
  (isAbsolute(name) ? [name] : coderPath(files).map((folder) => join(folder, name))).find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
