import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Config } from '../../config/config.js';
import type { Clock } from '../../kernel/clock.js';
import { silentLog } from '../../kernel/log.js';
import type { DatabaseAddress } from '../database/connection/connection.js';
import { isConnectionFailure } from '../database/connection/database-errors.js';
import type { CopiedTable } from '../database/dump/copy-rows.js';
import { openSnapshot, type Snapshot } from '../database/dump/dump.js';
import { findEmbedded, startEmbeddedPostgres } from '../database/embedded/embedded.js';
import { type ArchiveWriter, createArchive, plainFile } from './archive-writer.js';
import { addDataFiles } from './data-files.js';
import { FORMAT, type KeptTable, type Manifest, partName } from './manifest.js';
import { megabytes, type Progress } from './progress.js';
import { describeFault, Refusal } from './refusal.js';
import { refuseUnfinishedRestore } from './unfinished-restore.js';

const PART_BYTES = 4 * 1024 * 1024;
const compress = promisify(gzip);

export interface BackupOptions {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'images' | 'agentsDir' | 'sourcesDir' | 'repositoriesDir'>;
  file: string;
  version: string;
  clock: Clock;
  progress: Progress;
}

export interface BackupSummary {
  file: string;
  bytes: number;
  rows: number;
  files: number;
  leftOut: string[];
}

/** Copies the database and the data folder into one archive. The service may run: everything it acknowledged before is in it. */
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

/** The database that is configured, or the embedded one: through the service that runs it, or else through a server of our own. */
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
  // After the database: whatever its rows speak of was written before them.
  progress.begin('Copying files');
  const told = (name: string) => progress.update(`${name}, ${megabytes(archive.size)}`);
  const isOurs = (path: string) => path === archive.unfinished;
  const { count: files, leftOut: links } = await addDataFiles(archive, config.dataDir, told, isOurs);
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
      const told = (part: string) => progress.update(`${table.table[1]}${part}, ${megabytes(archive.size)}`);
      tables.push(await addTable(archive, snapshot, table, Math.floor(began.getTime() / 1000), told));
    }
    const { server, migrations } = snapshot;
    return { server, migrations, tables, sequences: await snapshot.listSequences() };
  } finally {
    await snapshot.close();
  }
}

/** In parts of a few megabytes, because an archive has to know how long a thing is before it begins. */
async function addTable(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  table: CopiedTable,
  modified: number,
  told: (part: string) => void,
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
    told(` part ${parts}`);
  };
  told('');
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size >= PART_BYTES) await flush();
  }
  await flush();
  return { ...table, rows: await rows, parts };
}

/** What the configuration put outside of the data folder is the operator's to keep; the backup names it. */
function listLeftOut({ dataDir, images, ...folders }: BackupOptions['config']): string[] {
  const outside = [folders.agentsDir, folders.sourcesDir, folders.repositoriesDir].filter(
    (folder) => !folder.startsWith(`${dataDir}/`),
  );
  return [...outside, ...(images === 's3' ? ['the pictures in S3_URL'] : [])];
}
