import { join } from 'node:path';
import type { DeskFiles } from '../desk-files.js';
import { type BuildFolder, buildFolder, listBuildFolders } from '../spool/build-folder.js';
import type { CheckState, ChecksReport, StartedChecks } from './check-protocol.js';

/** The desk as the checks of a build see it: nothing of theirs lies where a coder's things do. */
export const checkFiles = (files: DeskFiles): DeskFiles => ({
  ...files,
  work: files.checkWork,
  checkouts: files.checkCheckouts,
});

export type CheckFolder = ReturnType<typeof asCheckFolder>;

/** What is on disk about one check run: the steps of a build, and its own words for what it was told and found. */
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
