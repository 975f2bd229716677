import { join } from 'node:path';
import { ConfigError, readConfig } from './config/config.js';
import { systemClock } from './kernel/clock.js';
import { makeBackup } from './platform/backup/backup.js';
import { createProgress, megabytes, Refusal } from './platform/backup/operator-output.js';
import { type RestoreOptions, restoreBackup } from './platform/backup/restore.js';

const USAGE = {
  backup: `Usage: guildhall backup <file>, or npm run backup -- <file>

Copies the database and all files in DATA_DIR into one archive, while the service runs. Set the same
DATA_DIR and DATABASE_URL as the service. The archive contains keys: keep it private.`,
  restore: `Usage: guildhall restore <file> [--force], or npm run restore -- <file>

Restores a backup into an empty DATA_DIR and, if DATABASE_URL is set, an empty database. Verifies the whole archive first.
With --force, moves existing data aside instead of deleting it. Stop the service before you restore.`,
};

/** Returns the exit status. */
export async function runBackupCommand(
  command: keyof typeof USAGE,
  args: string[],
  version: string,
  moveRepositories: RestoreOptions['moveRepositories'],
): Promise<number> {
  const [file, ...others] = args.filter((arg) => arg !== '--force');
  const force = args.includes('--force');
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    console.log(USAGE[command]);
    return 0;
  }
  if (file === undefined || file.startsWith('-') || others.length > 0 || (force && command === 'backup')) {
    console.error(USAGE[command]);
    return 2;
  }
  const progress = createProgress(process.stderr);
  // A call to process.exit, unlike a signal, runs the handler that removes the unfinished archive.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  try {
    const work = { config: readConfig(), file, version, clock: systemClock, progress };
    const lines =
      command === 'backup' ? await backUp(work) : await restore({ ...work, force, moveRepositories });
    progress.end();
    console.log(lines.join('\n'));
    return 0;
  } catch (error) {
    progress.end();
    const tellsItself = error instanceof Refusal || error instanceof ConfigError;
    const { message } = error as Error;
    console.error(tellsItself ? message : `The ${command} did not succeed: ${message}`);
    return 1;
  }
}

const counted = (rows: number, files: number) => `${rows} rows and ${files} files`;
const leftOutLines = (leftOut: string[]) => leftOut.map((each) => `Not in it: ${each}.`);

async function backUp(work: Parameters<typeof makeBackup>[0]): Promise<string[]> {
  const { file, bytes, rows, files, leftOut } = await makeBackup(work);
  return [`Backed up ${counted(rows, files)} to ${file} (${megabytes(bytes)}).`, ...leftOutLines(leftOut)];
}

async function restore(work: RestoreOptions): Promise<string[]> {
  const { madeAt, rows, files, aside, leftOut, lostRepositories } = await restoreBackup(work);
  return [
    `Restored ${counted(rows, files)}, as they were at ${madeAt}. Start the service.`,
    ...(aside.folder ? [`The previous data folder is now ${aside.folder}.`] : []),
    ...(aside.schema ? [`The previous database content is now in the schema ${aside.schema}.`] : []),
    ...leftOutLines(leftOut),
    ...lostRepositories.map(
      ({ project, brandId, url }) =>
        `Not found: the repository ${url} of the project ${JSON.stringify(project)} in workspace ${brandId}. Put it into ` +
        `${join(work.config.repositoriesDir, String(brandId))} and attach it again.`,
    ),
  ];
}
