import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { within } from '../../kernel/deadline.js';
import type { Log } from '../../kernel/log.js';
import type { Db } from '../database.js';
import type { Tables } from '../schema/rows.generated.js';
import { isInBackground } from './background.js';
import { joinablePool } from './joined-transaction.js';
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
}

export interface Database {
  db: Db;
  pool: pg.Pool;
  backgroundPool: pg.Pool;
  /** Everything that the work does through `db` commits together or not at all, whatever transactions it opens itself. */
  atomically<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** How much longer the driver waits than the server works: time for the server to say so itself. */
const ANSWER_GRACE_MS = 5000;
const CONNECTION_LIFETIME_SECONDS = 30 * 60;

export const clientConfig = ({ url, connection }: DatabaseAddress): pg.ClientConfig => ({
  ...(url === undefined ? connection : { connectionString: url }),
  types: typeParsers,
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
});

/** Opens the pools; the first connection is made when it is first needed. */
export function connectDatabase(options: DatabaseOptions): Database {
  const pool = openPool(options, options);
  const backgroundPool = options.background ? openPool(options, options.background, '-background') : pool;
  const choosePool = () => (isInBackground() ? backgroundPool : pool);
  const connections = joinablePool(preparingPool(choosePool));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: connections }) });
  const close = async () => {
    await db.destroy();
    for (const each of new Set([pool, backgroundPool])) if (!each.ending) await each.end();
  };
  return { db, pool, backgroundPool, atomically: connections.atomically, close };
}

function openPool(options: DatabaseOptions, size: PoolOptions, suffix = ''): pg.Pool {
  const { log, applicationName } = options;
  const { poolSize, statementTimeoutMs = STATEMENT_TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = size;
  const pool = new pg.Pool({
    ...clientConfig(options),
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
