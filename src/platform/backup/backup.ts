import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Config } from '../../config/config.js';
import type { Clock } from '../../kernel/clock.js';
import { silentLog } from '../../kernel/log.js';
import type { DatabaseAddress } from '../database/connection/connection.js';
import { isConnectionFailure } from '../database/connection/database-errors.js';
import type { CopiedTable } from '../database/dump/dump.js';
import { openSnapshot, type Snapshot } from '../database/dump/dump.js';
import { findEmbedded, startEmbeddedPostgres } from '../database/embedded/embedded.js';
import {
  type ArchiveWriter,
  createArchive,
  FORMAT,
  type KeptTable,
  type Manifest,
  partName,
  plainFile,
} from './archive.js';
import { addDataFiles } from './data-files.js';
import { describeFault, megabytes, type Progress, Refusal } from './operator-output.js';
import { refuseUnfinishedRestore } from './staging.js';

const PART_BYTES = 4 * 1024 * 1024;
const compress = promisify(gzip);

interface BackupOptions {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'images' | 'agentsDir' | 'sourcesDir' | 'repositoriesDir'>;
  file: string;
  version: string;
  clock: Clock;
  progress: Progress;
}

interface BackupSummary {
  file: string;
  bytes: number;
  rows: number;
  files: number;
  leftOut: string[];
}

/**
 * Copies the database and the data folder into one archive. The service may keep running: the archive
 * includes everything it acknowledged before the start.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupSummary> {
  const { config, clock } = options;
  await refuseUnfinishedRestore(config.dataDir);
  const file = resolve(options.file);
  const began = clock.now();
  const archive = await createArchive(file, Math.floor(began.getTime() / 1000));
  try {
    return await withDatabase(config, (address) =>
      fillArchive(archive, address, { ...options, file, began }),
    );
  } catch (error) {
    await archive.abandon();
    if (isConnectionFailure(error))
      throw new Refusal(`The database cannot be reached, or went away meanwhile: ${describeFault(error)}.`);
    throw error;
  }
}

/** Uses the configured database, the running embedded one, or starts the embedded one for the copy. */
async function withDatabase<T>(
  { dataDir, databaseUrl }: BackupOptions['config'],
  work: (address: DatabaseAddress) => Promise<T>,
): Promise<T> {
  if (databaseUrl) return work({ url: databaseUrl });
  const embedded = await findEmbedded(dataDir);
  if (!embedded)
    throw new Refusal(
      `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL to that of the service.`,
    );
  if (embedded.running) return work({ connection: embedded.running });
  const server = await startEmbeddedPostgres({ dataDir, log: silentLog });
  try {
    return await work({ connection: server.connection });
  } finally {
    await server.stop();
  }
}

async function fillArchive(
  archive: ArchiveWriter,
  address: DatabaseAddress,
  { config, file, version, progress, began }: BackupOptions & { began: Date },
): Promise<BackupSummary> {
  const leftOut = listLeftOut(config);
  progress.begin('Copying the database');
  const database = await copyDatabase(archive, address, began, progress);
  // Copies files after the database, so that every file a row refers to is included.
  progress.begin('Copying files');
  const report = (name: string) => progress.update(`${name}, ${megabytes(archive.size)}`);
  const isOurs = (path: string) => path === archive.unfinished;
  const { count: files, leftOut: links } = await addDataFiles(archive, config.dataDir, report, isOurs);
  leftOut.push(...links);
  const head = { format: FORMAT, guildhall: version, made_at: began.toISOString() };
  await archive.finish({ ...head, database, left_out: leftOut });
  const rows = database.tables.reduce((sum, table) => sum + table.rows, 0);
  return { file, bytes: archive.size, rows, files, leftOut };
}

async function copyDatabase(
  archive: ArchiveWriter,
  address: DatabaseAddress,
  began: Date,
  progress: Progress,
): Promise<Manifest['database']> {
  const snapshot = await openSnapshot(address);
  if (!snapshot) throw new Refusal('There is nothing of Guildhall in this database.');
  try {
    const tables: KeptTable[] = [];
    for (const table of snapshot.tables) {
      const report = (part: string) =>
        progress.update(`${table.table[1]}${part}, ${megabytes(archive.size)}`);
      tables.push(await addTable(archive, snapshot, table, Math.floor(began.getTime() / 1000), report));
    }
    const { server, migrations } = snapshot;
    return { server, migrations, tables, sequences: await snapshot.listSequences() };
  } finally {
    await snapshot.close();
  }
}

/** Writes the table in parts of a few megabytes, because a tar header states the size in advance. */
async function addTable(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  table: CopiedTable,
  modified: number,
  report: (part: string) => void,
): Promise<KeptTable> {
  const { chunks, rows } = snapshot.read(table);
  let waiting: Buffer[] = [];
  let size = 0;
  let parts = 0;
  const flush = async () => {
    if (size === 0) return;
    parts += 1;
    const packed = await compress(Buffer.concat(waiting));
    await archive.add(plainFile(partName(table, parts), modified), packed);
    waiting = [];
    size = 0;
    report(` part ${parts}`);
  };
  report('');
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size >= PART_BYTES) await flush();
  }
  await flush();
  return { ...table, rows: await rows, parts };
}

/** Folders outside the data folder are not copied. The backup lists them. */
function listLeftOut({ dataDir, images, ...folders }: BackupOptions['config']): string[] {
  const outside = [folders.agentsDir, folders.sourcesDir, folders.repositoriesDir].filter(
    (folder) => !folder.startsWith(`${dataDir}/`),
  );
  return [...outside, ...(images === 's3' ? ['the pictures in S3_URL'] : [])];
}
