import { lstat, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import { takeCopy } from './cluster-copy.js';
import { type ClusterFolder, hasCluster, openClusterFolder } from './cluster-folder.js';
import { type DataLock, lockDataDir } from './data-lock.js';
import { findBinaries, type PostgresBinaries } from './embedded-binaries.js';
import { includeSettings, writeSettings } from './embedded-settings.js';
import { clearLeftovers, findPostmaster, startPostmaster, stopPostmaster } from './postmaster.js';
import { runAsServer } from './server-user.js';

export interface EmbeddedOptions {
  dataDir: string;
  log: Log;
  /** The claim on `dataDir`, when the caller has it already; otherwise it is taken here and given back by `stop`. */
  lock?: DataLock;
  /** False for databases that may be lost: nothing waits for the disk. */
  durable?: boolean;
  /** A data folder to begin with a copy of, where there is none yet. */
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
  /** The folder with the server's data and log. */
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

/** Starts the PostgreSQL server that comes with the program, on a data folder that is made when it is missing. */
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

/** The database in a data folder: how to reach it when its server runs; undefined where there is none. */
export async function findEmbedded(dataDir: string): Promise<{ running?: EmbeddedConnection } | undefined> {
  if (!(await hasCluster(dataDir))) return undefined;
  const cluster = await openClusterFolder(dataDir);
  return findPostmaster(cluster) === undefined ? {} : { running: connectionTo(cluster, OWNER) };
}

/** Ends the server that a killed program left behind in this folder, if one did. */
export async function stopLeftServer(dataDir: string): Promise<void> {
  if (!(await hasCluster(dataDir))) return;
  const cluster = await openClusterFolder(dataDir);
  await clearLeftovers(await findBinaries(cluster.user), cluster);
}

/** A server that was killed (by the system, for memory) is started again; meanwhile callers are told that it is away. */
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

/** A first start that is cut short leaves no half-made data folder: it gets its name when it is whole. */
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

/** Every part is named, so that no PG* variable of the environment slips in. */
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
