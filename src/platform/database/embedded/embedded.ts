import { appendFile, chown, lstat, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import type { ClusterFolder } from './cluster.js';
import { hasCluster, openClusterFolder, runAsServer, takeCopy } from './cluster.js';
import { type DataLock, lockDataDir } from './data-lock.js';
import {
  clearLeftovers,
  findBinaries,
  findPostmaster,
  type PostgresBinaries,
  startPostmaster,
  stopPostmaster,
} from './postmaster.js';

const SETTINGS_FILE = 'guildhall.conf';

const LAPTOP = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: 100,
  shared_buffers: '128MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '512MB',
  wal_level: 'minimal',
  max_wal_senders: 0,
  random_page_cost: 1.1,
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  // Clients report their own errors, and statements may contain data that must not be logged.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_line_prefix: '%m [%p] ',
};

/** For disposable databases: tests and generated files. */
const SCRATCH = {
  // Many tests run at once, each with its own service.
  max_connections: 400,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '48MB',
  max_wal_size: '256MB',
};

/** Appended to the settings that initdb chose for this machine, so that these take precedence. */
const includeSettings = (dataFolder: string): Promise<void> =>
  appendFile(join(dataFolder, 'postgresql.conf'), `\ninclude '${SETTINGS_FILE}'\n`);

/** Rewritten at every start, to remove settings of an older version. */
async function writeSettings(cluster: ClusterFolder, durable: boolean): Promise<void> {
  const settings = {
    ...LAPTOP,
    ...(durable ? {} : SCRATCH),
    unix_socket_directories: cluster.sockets,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quote(String(value))}`);
  const note = '# Written by Guildhall at every start; settings of your own go in by ALTER SYSTEM.';
  const file = join(cluster.data, SETTINGS_FILE);
  await writeFile(file, `${note}\n${lines.join('\n')}\n`);
  if (cluster.user) await chown(file, cluster.user.uid, cluster.user.gid);
}

const quote = (value: string) => `'${value.replaceAll("'", "''")}'`;

export interface EmbeddedOptions {
  dataDir: string;
  log: Log;
  /** An existing lock on `dataDir`. By default one is taken, and `stop` releases it. */
  lock?: DataLock;
  /** False turns off fsync, for disposable databases. */
  durable?: boolean;
  /** A data folder to copy when none exists yet. */
  ready?: string | undefined;
}

export interface EmbeddedConnection {
  host: string;
  port: number;
  user: string;
  database: string;
  password: string;
  ssl: false;
}

export interface EmbeddedPostgres {
  connection: EmbeddedConnection;
  folder: string;
  findProcessId(): number | undefined;
  stop(): Promise<void>;
}

const OWNER = 'guildhall';
const HOW_IT_IS_MADE = [
  ...['-U', OWNER, '--auth=trust', '--encoding=UTF8', '--locale=C'],
  ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
];
const LARGEST_LOG = 10 * 1024 * 1024;
const LOOK_EVERY_MS = 2000;

/** Starts the bundled PostgreSQL server and creates its data folder if needed. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const lock = options.lock ?? (await lockDataDir(options.dataDir));
  const release = async () => {
    if (!options.lock) await lock.release();
  };
  try {
    return await startLocked(options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function startLocked(
  { dataDir, log, durable = true, ready }: EmbeddedOptions,
  release: () => Promise<void>,
): Promise<EmbeddedPostgres> {
  const cluster = await openClusterFolder(dataDir);
  const binaries = await findBinaries(cluster.user);
  await createCluster(binaries, cluster, { durable, ready });
  if (await clearLeftovers(binaries, cluster))
    log.warn('Stopped the database server that an earlier run left behind');
  await rotateLog(cluster);
  await writeSettings(cluster, durable);
  await startPostmaster(binaries, cluster);

  const watch = reviveWhenDead(binaries, cluster, log);
  let stopping: Promise<void> | undefined;
  const stopOnce = async () => {
    await watch.end();
    if (findPostmaster(cluster) !== undefined) await stopPostmaster(binaries, cluster);
    await release();
  };
  const stop = () => {
    stopping ??= stopOnce();
    return stopping;
  };
  const connection = connectionTo(cluster, OWNER);
  try {
    await createDatabase(connectionTo(cluster, 'postgres'), OWNER);
  } catch (error) {
    await stop();
    throw error;
  }
  return { connection, folder: cluster.root, findProcessId: () => findPostmaster(cluster), stop };
}

/**
 * Returns the embedded database of a data folder, with its connection while it runs, or undefined if there is
 * none.
 */
export async function findEmbedded(dataDir: string): Promise<{ running?: EmbeddedConnection } | undefined> {
  if (!(await hasCluster(dataDir))) return undefined;
  const cluster = await openClusterFolder(dataDir);
  return findPostmaster(cluster) === undefined ? {} : { running: connectionTo(cluster, OWNER) };
}

export async function stopLeftServer(dataDir: string): Promise<void> {
  if (!(await hasCluster(dataDir))) return;
  const cluster = await openClusterFolder(dataDir);
  await clearLeftovers(await findBinaries(cluster.user), cluster);
}

/** Restarts a server that was killed, for example when the system ran out of memory. */
function reviveWhenDead(binaries: PostgresBinaries, cluster: ClusterFolder, log: Log) {
  let reviving: Promise<void> = Promise.resolve();
  const revive = async () => {
    if (findPostmaster(cluster) !== undefined) return;
    log.error('The database server is gone; starting it again');
    await clearLeftovers(binaries, cluster);
    await startPostmaster(binaries, cluster);
  };
  const look = () => {
    reviving = reviving
      .then(revive)
      .catch((error) => log.error({ err: error }, 'The database server did not come back; trying again'));
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    async end(): Promise<void> {
      clearInterval(timer);
      await reviving;
    },
  };
}

/** Created under a temporary name, so that an interrupted start leaves no incomplete data folder. */
async function createCluster(
  binaries: PostgresBinaries,
  cluster: ClusterFolder,
  { durable, ready }: { durable: boolean; ready: string | undefined },
): Promise<void> {
  if (await lstat(cluster.data).catch(() => undefined)) return;
  const unfinished = join(cluster.root, 'data.unfinished');
  const clear = () => rm(unfinished, { recursive: true, force: true });
  const initdb = async (...args: string[]) => {
    const options = { ...cluster, folder: cluster.root };
    const { status, output } = await runAsServer(binaries.initdb, ['-D', unfinished, ...args], options);
    if (status !== 0) throw new Error(`The embedded PostgreSQL could not make its data folder: ${output}`);
  };
  const copy = async (from: string) => {
    await takeCopy(from, unfinished, cluster.user);
    if (durable) await initdb('--sync-only');
  };
  const make = async () => {
    await clear();
    await initdb(...HOW_IT_IS_MADE, ...(durable ? [] : ['--no-sync']));
    await includeSettings(unfinished);
  };
  await clear();
  if (ready === undefined) await make();
  else await copy(ready).catch(make);
  await rename(unfinished, cluster.data);
}

async function rotateLog({ log }: ClusterFolder): Promise<void> {
  const present = await stat(log).catch(() => undefined);
  if (present && present.size > LARGEST_LOG) await rename(log, `${log}.1`);
}

/** Sets every part, so that no PG* environment variable applies. */
const connectionTo = (cluster: ClusterFolder, database: string): EmbeddedConnection => ({
  host: cluster.sockets,
  port: 5432,
  user: OWNER,
  database,
  password: '',
  ssl: false,
});

async function createDatabase(connection: EmbeddedConnection, name: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
