import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { within } from '../../../kernel/deadline.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../database.js';
import { createReplicas, type Replicas } from '../replicas/replicas.js';
import type { Tables } from '../schema/rows.generated.js';
import { currentPurpose } from './background.js';
import { anyHost, clientClass } from './database-hosts.js';
import { joinablePool } from './joined-transaction.js';
import { type PoolWaits, watchWaits } from './pool-waits.js';
import { preparingPool } from './prepared-statements.js';
import { typeParsers } from './type-parsers.js';

/** Where the database is: an address of its own, or the parts of one (as the embedded server gives them). */
export interface DatabaseAddress {
  url?: string;
  connection?: pg.ClientConfig;
}

export interface PoolOptions {
  poolSize: number;
  /** How long one statement may run; 0 means without end. */
  statementTimeoutMs?: number;
  /** How long to wait for a connection, one that another gives back or a new one. */
  connectTimeoutMs?: number;
}

export interface DatabaseOptions extends DatabaseAddress, PoolOptions {
  applicationName: string;
  log: Log;
  /** Connections set apart for what runs `inBackground`; without them it shares those of the requests. */
  background?: PoolOptions;
  /** Connections kept free for what is done `urgently`; without them it shares those of the requests. */
  urgent?: PoolOptions;
  /** Servers that follow this one, and the connections to each of them. */
  replicas?: { addresses: readonly DatabaseAddress[] } & PoolOptions;
}

export interface Database {
  db: Db;
  pool: pg.Pool;
  backgroundPool: pg.Pool;
  urgentPool: pg.Pool;
  /** Of requests, for a connection of `pool`. */
  waits: PoolWaits;
  /** Everything that the work does through `db` commits together or not at all, whatever transactions it opens itself. */
  atomically<T>(work: () => Promise<T>): Promise<T>;
  /** Undefined where there are none. Nothing is asked of them before they are started. */
  replicas?: Replicas;
  replicaPools: readonly { pool: pg.Pool }[];
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** How much longer the driver waits than the server works: time for the server to say so itself. */
const ANSWER_GRACE_MS = 5000;
/** It only looks whether a replica follows: one that does not say so at once does not. */
const EYE = { poolSize: 1, connectTimeoutMs: 1000, statementTimeoutMs: 1000 };
const CONNECTION_LIFETIME_SECONDS = 30 * 60;

export const clientConfig = ({ url, connection }: DatabaseAddress): pg.ClientConfig => ({
  ...(url === undefined ? connection : { connectionString: anyHost(url) }),
  types: typeParsers,
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
});

/** One connection by itself. */
export const createClient = (address: DatabaseAddress, more: pg.ClientConfig): pg.Client =>
  new (clientClass(address.url))({ ...clientConfig(address), ...more });

/** Opens the pools; the first connection is made when it is first needed. */
export function connectDatabase(options: DatabaseOptions): Database {
  const pool = openPool(options, options);
  const backgroundPool = options.background ? openPool(options, options.background, '-background') : pool;
  const urgentPool = options.urgent ? openPool(options, options.urgent, '-urgent') : pool;
  const waits = watchWaits(pool);
  const choosePool = () => {
    const purpose = currentPurpose();
    if (purpose === undefined) return waits;
    if (typeof purpose === 'object') return purpose.replica;
    return purpose === 'background' ? backgroundPool : urgentPool;
  };
  const connections = joinablePool(preparingPool(choosePool));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: connections }) });
  const replicaPools = openReplicaPools(options);
  const replicas =
    replicaPools.length > 0 ? createReplicas({ db, pools: replicaPools, log: options.log }) : undefined;
  const close = async () => {
    await db.destroy();
    const ofReplicas = replicaPools.flatMap((each) => [each.pool, each.eye]);
    for (const each of new Set([pool, backgroundPool, urgentPool, ...ofReplicas]))
      if (!each.ending) await each.end();
  };
  const { atomically } = connections;
  return { db, pool, backgroundPool, urgentPool, waits, atomically, replicas, replicaPools, close };
}

function openReplicaPools({ replicas, ...options }: DatabaseOptions) {
  if (!replicas) return [];
  return replicas.addresses.map((address) => {
    const there = { ...options, url: undefined, connection: undefined, ...address };
    return {
      pool: openPool(there, replicas, '-replica'),
      eye: openPool(there, EYE, '-replica-watch'),
    };
  });
}

function openPool(options: DatabaseOptions, size: PoolOptions, suffix = ''): pg.Pool {
  const { log, applicationName } = options;
  const { poolSize, statementTimeoutMs = STATEMENT_TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = size;
  const pool = new pg.Pool({
    ...clientConfig(options),
    Client: clientClass(options.url),
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: `${applicationName}${suffix}`,
    maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
    ...(statementTimeoutMs > 0 && {
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
    }),
    onConnect: async (client) => {
      await client.query("set time zone 'UTC'");
    },
  });
  const reportLoss = (error: Error) => log.warn({ err: error }, 'A database connection was lost');
  pool.on('error', reportLoss);
  // While a connection is lent out nobody else listens, and an error that nobody listens to ends the program.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Whether the database answers within `timeoutMs`; never takes longer, even when the server hangs. */
export function ping(pool: pg.Pool, timeoutMs: number): Promise<boolean> {
  return within(timeoutMs, askForSign(pool, timeoutMs)).catch(() => false);
}

async function askForSign(pool: pg.Pool, timeoutMs: number): Promise<boolean> {
  const client = await pool.connect().catch(() => undefined);
  if (!client) return false;
  try {
    await client.query({ text: 'select 1', query_timeout: timeoutMs } as pg.QueryConfig);
    client.release();
    return true;
  } catch {
    client.release(true);
    return false;
  }
}
