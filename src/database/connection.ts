import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Log } from '../kernel/log.js';
import type { Db } from './database.js';
import { preparingPool } from './prepared-statements.js';
import type { Tables } from './rows.generated.js';
import { typeParsers } from './type-parsers.js';

/** Where the database is: an address of its own, or the parts of one (as the embedded server gives them). */
export interface DatabaseAddress {
  url?: string;
  connection?: pg.ClientConfig;
}

export interface DatabaseOptions extends DatabaseAddress {
  poolSize: number;
  applicationName: string;
  log: Log;
  /** How long one statement may run; 0 means without end. */
  statementTimeoutMs?: number;
}

export interface Database {
  db: Db;
  pool: pg.Pool;
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

/** Opens a pool; the first connection is made when it is first needed. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { log, poolSize, applicationName, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    ...clientConfig(options),
    max: poolSize,
    application_name: applicationName,
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

  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparingPool(pool) }) });
  const close = async () => {
    await db.destroy();
    if (!pool.ending) await pool.end();
  };
  return { db, pool, close };
}

/** Whether the database answers within `timeoutMs`; never takes longer, even when the server hangs. */
export async function ping(pool: pg.Pool, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  try {
    return await Promise.race([askForSign(pool, timeoutMs), timeout]);
  } finally {
    clearTimeout(timer);
  }
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
