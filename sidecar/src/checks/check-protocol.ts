import { join } from 'node:path';
import type { DeskFiles } from '../desk-files.js';
import { type BuildFolder, buildFolder, listBuildFolders } from '../spool/build-folder.js';
import {
  isRecord,
  parseObject,
  readEnvironment,
  readMinutes,
  readNames,
  readSetup,
} from '../work/build-protocol.js';

/** The service's answer to the start of a check run. */
export interface StartedChecks {
  build_id: string;
  head_sha: string;
  setup: Step | null;
  checks: ({ name: string } & Step)[];
  env: Record<string, string>;
  setup_env: Record<string, string>;
  secret_names: string[];
}

interface Step {
  command: string;
  minutes: number;
}

type CheckEnd = 'passed' | 'failed' | 'timed_out' | 'skipped';

/** The state of a check as the runner saves it and the service receives it. */
export interface CheckState {
  name: string;
  status: 'pending' | 'running' | CheckEnd;
  exit_code: number | null;
  seconds: number | null;
}

export interface ChecksReport {
  checks: CheckState[];
  setup?: { exit_code: number | null; seconds: number; log_tail: string };
}

const MOST_CHECKS = 100;

export function parseStartedChecks(body: string, buildId: string): StartedChecks | undefined {
  const data = parseObject(body);
  const { head_sha, checks } = data ?? {};
  if (typeof head_sha !== 'string' || !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(head_sha)) return undefined;
  if (!Array.isArray(checks) || checks.length === 0 || checks.length > MOST_CHECKS) return undefined;
  const read = checks.map(readCheck);
  if (read.some((check) => check === undefined)) return undefined;
  return {
    build_id: buildId,
    head_sha,
    setup: readSetup(data?.['setup']),
    checks: read as StartedChecks['checks'],
    env: readEnvironment(data?.['env']),
    setup_env: readEnvironment(data?.['setup_env']),
    secret_names: readNames(data?.['secret_names']),
  };
}

function readCheck(value: unknown): StartedChecks['checks'][number] | undefined {
  const step = readSetup(value);
  if (!step || !isRecord(value) || typeof value['name'] !== 'string') return undefined;
  return { name: value['name'], command: step.command, minutes: readMinutes(value['minutes']) };
}

/** Gives checks their own folders, separate from everything that a coder could change. */
export const checkFiles = (files: DeskFiles): DeskFiles => ({
  ...files,
  work: files.checkWork,
  checkouts: files.checkCheckouts,
});

export type CheckFolder = ReturnType<typeof asCheckFolder>;

/** The files of one check run: the usual ones of a build, plus its instructions and results. */
const asCheckFolder = (folder: BuildFolder) => ({
  ...folder,
  startedChecks: () => folder.read<StartedChecks>('checks.json'),
  keepStartedChecks: (started: StartedChecks): void => folder.write('checks.json', started),
  states: (): CheckState[] => folder.read<{ states: CheckState[] }>('states.json')?.states ?? [],
  keepStates: (states: CheckState[]): void => folder.write('states.json', { states }),
  report: () => folder.read<ChecksReport>('report.json'),
  keepReport: (report: ChecksReport): void => folder.write('report.json', report),
  logOf: (nth: number): string => join(folder.log, String(nth)),
});

export const checkFolder = (files: DeskFiles, buildId: string): CheckFolder =>
  asCheckFolder(buildFolder(checkFiles(files), buildId));

export const listCheckFolders = (files: DeskFiles): CheckFolder[] =>
  listBuildFolders(checkFiles(files)).map(asCheckFolder);
