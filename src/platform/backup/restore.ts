import { mkdir } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type pg from 'pg';
import type { Config } from '../../config/config.js';
import type { Clock } from '../../kernel/clock.js';
import { silentLog } from '../../kernel/log.js';
import { isConnectionFailure } from '../database/connection/database-errors.js';
import { type Dump, type DumpedTable, type LoadTarget, openLoadTarget } from '../database/dump/load.js';
import { type DataLock, lockDataDir } from '../database/embedded/data-lock.js';
import { startEmbeddedPostgres, stopLeftServer } from '../database/embedded/embedded.js';
import { findUnknownMigrations } from '../database/schema/migrate.js';
import {
  type KeptTable,
  type Members,
  openMembers,
  partName,
  type VerifiedArchive,
  verifyArchive,
} from './archive.js';
import { restoreFiles } from './data-files.js';
import { describeFault, megabytes, type Progress, Refusal } from './operator-output.js';
import {
  clearStaging,
  findPlan,
  isThere,
  listContent,
  markReady,
  openStaging,
  putInPlace,
  stagingIn,
} from './staging.js';

const unpack = promisify(gunzip);

export interface RestoreOptions {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'repositoriesDir'>;
  file: string;
  /** Whether to move existing data aside. */
  force: boolean;
  version: string;
  clock: Clock;
  progress: Progress;
  /** Rewrites the addresses of local repositories to the new folder and returns the missing ones. */
  moveRepositories(client: pg.ClientBase, folders: { now: string; later: string }): Promise<LostRepository[]>;
}

export interface LostRepository {
  project: string;
  brandId: number;
  url: string;
}

interface RestoreSummary {
  madeAt: string;
  rows: number;
  files: number;
  aside: { folder?: string; schema?: string };
  leftOut: string[];
  lostRepositories: LostRepository[];
}

/** Restores a backup. Existing data is replaced only after the whole backup was read, verified and built. */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const archive = await verify(options);
  const { dataDir } = options.config;
  await mkdir(dataDir, { recursive: true });
  const lock = await claim(dataDir);
  try {
    return options.config.databaseUrl
      ? await restoreIntoDatabase(archive, options, options.config.databaseUrl)
      : await restoreIntoFolder(archive, options);
  } catch (error) {
    if (isConnectionFailure(error))
      throw new Refusal(`The database cannot be reached, or went away meanwhile: ${describeFault(error)}.`);
    // Disk full, as reported by the system and by PostgreSQL.
    if (['ENOSPC', '53100'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw new Refusal(`There is no space left for the restore in ${dataDir}. Nothing was replaced.`);
    throw error;
  } finally {
    await lock.release();
  }
}

async function verify({ file, version, progress }: RestoreOptions): Promise<VerifiedArchive> {
  progress.begin('Reading the backup');
  const archive = await verifyArchive(resolve(file), (bytes, total) =>
    progress.update(`${megabytes(bytes)} of ${megabytes(total)}`),
  );
  const unknown = await findUnknownMigrations(archive.manifest.database.migrations);
  if (unknown.length > 0)
    throw new Refusal(
      `This backup was made by Guildhall ${archive.manifest.guildhall}, which is newer than this one (${version}) or not ` +
        `the same (${unknown.join(', ')}): restore it with that version or a later one.`,
    );
  return archive;
}

const claim = (dataDir: string): Promise<DataLock> =>
  lockDataDir(dataDir).catch((error) => {
    if (!/already running/.test(error.message)) throw error;
    throw new Refusal(`Guildhall, or another restore, is already running on ${dataDir}: stop it first.`);
  });

const asideName = ({ clock }: RestoreOptions) =>
  `before-restore-${clock.now().toISOString().slice(0, 19).replaceAll(':', '-')}`;

async function restoreIntoFolder(archive: VerifiedArchive, options: RestoreOptions): Promise<RestoreSummary> {
  const { dataDir } = options.config;
  const plan = await findPlan(dataDir);
  if (plan) {
    // An earlier restore was interrupted after its data was complete, so finish it first. If it was of the
    // same backup, nothing else is left to do.
    const folder = await putInPlace(dataDir);
    if (plan.archive === archive.digest) return summarize(archive, { folder });
  }
  await refuseFilledFolder(options);
  return building(archive, options, async (built, members) => {
    const server = await startEmbeddedPostgres({ dataDir: built, log: silentLog });
    let loaded: Loaded;
    try {
      const target = (await openLoadTarget({ connection: server.connection }))!;
      try {
        loaded = await load(target, archive, members, { ...options, built });
      } finally {
        await target.close();
      }
    } finally {
      await server.stop();
    }
    await stopLeftServer(dataDir);
    await markReady(dataDir, archive.digest, asideName(options));
    return summarize(archive, { folder: await putInPlace(dataDir) }, loaded);
  });
}

async function restoreIntoDatabase(
  archive: VerifiedArchive,
  options: RestoreOptions,
  url: string,
): Promise<RestoreSummary> {
  const { dataDir } = options.config;
  const target = await openLoadTarget({ url });
  if (!target)
    throw new Refusal('This database is being restored or migrated by another program: wait for it.');
  try {
    if (target.isInUse)
      throw new Refusal('Guildhall is running on this database: stop every node of it first.');
    const plan = await findPlan(dataDir);
    // The commit happens after the mark is written. The origin stored in the database shows whether it
    // happened.
    if (plan && target.origin === originOf(plan.archive)) {
      const folder = await putInPlace(dataDir);
      if (plan.archive === archive.digest) return summarize(archive, { folder });
    } else if (plan) await clearStaging(dataDir);
    await refuseFilledFolder(options);
    if (!target.isEmpty && !options.force)
      throw new Refusal(
        'There are tables in this database already: name an empty one, or use --force to keep them under another schema.',
      );
    return await building(archive, options, async (built, members) => {
      const beforeCommit = () => markReady(dataDir, archive.digest, asideName(options));
      const loaded = await load(target, archive, members, { ...options, built }, beforeCommit);
      return summarize(archive, { folder: await putInPlace(dataDir), schema: loaded.aside }, loaded);
    });
  } finally {
    await target.close();
  }
}

async function refuseFilledFolder({ config: { dataDir }, force }: RestoreOptions): Promise<void> {
  if (force || (await listContent(dataDir)).length === 0) return;
  throw new Refusal(
    `${dataDir} is not empty: set DATA_DIR to an empty folder, or use --force to move what is there aside.`,
  );
}

/** Builds the new folder and removes it again on failure. */
async function building(
  archive: VerifiedArchive,
  { config: { dataDir }, progress }: RestoreOptions,
  finish: (built: string, members: Members) => Promise<RestoreSummary>,
): Promise<RestoreSummary> {
  const members = await openMembers(archive);
  try {
    const built = await openStaging(dataDir);
    progress.begin('Restoring files');
    await restoreFiles(archive, members, built, progress.update);
    return await finish(built, members);
  } catch (error) {
    // Once a restore is marked as ready, the next attempt completes it.
    if (!(await findPlan(dataDir)) && (await isThere(stagingIn(dataDir)))) await clearStaging(dataDir);
    throw error;
  } finally {
    await members.close();
  }
}

const originOf = (digest: string) => `restored from sha256:${digest}`;

interface Loaded {
  aside?: string | undefined;
  left: string[];
  lost: LostRepository[];
}

async function load(
  target: LoadTarget,
  { manifest, digest }: VerifiedArchive,
  members: Members,
  options: RestoreOptions & { built: string },
  beforeCommit: () => Promise<void> = async () => {},
): Promise<Loaded> {
  const { dataDir, repositoriesDir } = options.config;
  const within = relative(dataDir, repositoriesDir);
  const isWithin = !/^\.\.(?:\/|$)/.test(within) && !isAbsolute(within);
  const now = isWithin ? join(options.built, within) : repositoriesDir;
  let lost: LostRepository[] = [];
  const { migrations, tables, sequences } = manifest.database;
  const read = (table: DumpedTable) => readRows(members, table as KeptTable);
  const dump: Dump = { migrations, tables, sequences, origin: originOf(digest), read };
  options.progress.begin('Restoring the database');
  const loaded = await target.load(dump, {
    aside: asideName(options)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '_'),
    onTable: ({ table, rows }) => options.progress.update(`${table[1]}, ${rows} rows`),
    async beforeCommit(client) {
      lost = await options.moveRepositories(client, { now, later: repositoriesDir });
      await beforeCommit();
    },
  });
  return { ...loaded, lost };
}

async function* readRows(members: Members, table: KeptTable): AsyncGenerator<Buffer> {
  for (let part = 1; part <= table.parts; part += 1) {
    const chunks: Buffer[] = [];
    for await (const chunk of members.read(partName(table, part))) chunks.push(chunk);
    yield await unpack(Buffer.concat(chunks));
  }
}

function summarize(
  { manifest, entries }: VerifiedArchive,
  { folder, schema }: { folder?: string | undefined; schema?: string | undefined },
  { left, lost }: Loaded = { left: [], lost: [] },
): RestoreSummary {
  return {
    madeAt: manifest.made_at,
    rows: manifest.database.tables.reduce((sum, { rows }) => sum + rows, 0),
    files: entries.filter(({ entry }) => entry.kind === 'file' && entry.name.startsWith('files/')).length,
    aside: { ...(folder && { folder }), ...(schema && { schema }) },
    leftOut: [...manifest.left_out, ...left.map((table) => `the table ${table}, which is not of Guildhall`)],
    lostRepositories: lost,
  };
}
