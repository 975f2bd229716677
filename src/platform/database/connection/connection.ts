import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { within } from '../../../kernel/async.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../database.js';
import { createReplicas, type Replicas } from '../replicas/replicas.js';
import type { Tables } from '../schema/rows.generated.js';
import { anyHost, clientClass } from './database-hosts.js';
import { currentPurpose, type PoolWaits, watchWaits } from './pools.js';
import { preparingPool } from './prepared-statements.js';
import { joinablePool } from './transaction.js';

const oid = {
  int8: 20,
  date: 1082,
  interval: 1186,
  timestamptz: 1184,
  numeric: 1700,
  textArray: 1009,
  int8Array: 1016,
  numericArray: 1231,
};

const parseTextArray: (text: string) => (string | null)[] = pg.types.getTypeParser(oid.textArray, 'text');
const parseNumberArray = (text: string) =>
  parseTextArray(text).map((item) => (item === null ? null : Number(item)));
const keepText = (text: string) => text;

const parseAnyInstant: (text: string) => Date = pg.types.getTypeParser(oid.timestamptz, 'text');

/** Timestamps arrive in UTC as `2026-11-19 13:44:14.123456+00`, which is close to ISO 8601. */
const parseInstant = (text: string): Date =>
  text[10] === ' ' && text.endsWith('+00')
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : parseAnyInstant(text);

const ownParsers = new Map<number, (text: string) => unknown>([
  [oid.int8, Number],
  [oid.numeric, Number],
  [oid.int8Array, parseNumberArray],
  [oid.numericArray, parseNumberArray],
  // The driver would return a Date at local midnight.
  [oid.date, keepText],
  [oid.interval, keepText],
  [oid.timestamptz, parseInstant],
]);

/** Column parsers of one pool or client. The driver's global parsers stay unchanged. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    const own = format === 'binary' ? undefined : ownParsers.get(id);
    return own ?? pg.types.getTypeParser(id, format as 'text');
  },
};

export interface DatabaseAddress {
  url?: string;
  connection?: pg.ClientConfig;
}

export interface PoolOptions {
  poolSize: number;
  statementTimeoutMs?: number;
  /** How long to wait for a free or new connection. */
  connectTimeoutMs?: number;
}

interface DatabaseOptions extends DatabaseAddress, PoolOptions {
  applicationName: string;
  log: Log;
  /** Connections for work run with `inBackground`. Defaults to the connections for requests. */
  background?: PoolOptions;
  /** Connections for work run with `urgently`. Defaults to the connections for requests. */
  urgent?: PoolOptions;
  /** Read replicas, and the connections to each of them. */
  replicas?: { addresses: readonly DatabaseAddress[] } & PoolOptions;
}

export interface Database {
  db: Db;
  pool: pg.Pool;
  backgroundPool: pg.Pool;
  urgentPool: pg.Pool;
  waits: PoolWaits;
  /**
   * Commits all work that `work` does through `db` in one transaction, including transactions it opens
   * itself.
   */
  atomically<T>(work: () => Promise<T>): Promise<T>;
  replicas?: Replicas;
  replicaPools: readonly { pool: pg.Pool }[];
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** The driver waits longer than the server, so that the server reports the timeout. */
const ANSWER_GRACE_MS = 5000;
/** Connection that monitors a replica. A replica that does not respond within a second counts as stale. */
const WATCH_POOL = { poolSize: 1, connectTimeoutMs: 1000, statementTimeoutMs: 1000 };
const CONNECTION_LIFETIME_SECONDS = 30 * 60;

export const clientConfig = ({ url, connection }: DatabaseAddress): pg.ClientConfig => ({
  ...(url === undefined ? connection : { connectionString: anyHost(url) }),
  types: typeParsers,
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
});

export const createClient = (address: DatabaseAddress, more: pg.ClientConfig): pg.Client =>
  new (clientClass(address.url))({ ...clientConfig(address), ...more });

/** Connects lazily, on first use. */
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
    const ofReplicas = replicaPools.flatMap((each) => [each.pool, each.watchPool]);
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
      watchPool: openPool(there, WATCH_POOL, '-replica-watch'),
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
  // An error event without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Whether the database responds within `timeoutMs`, even if the server hangs. */
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
