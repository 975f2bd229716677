import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Db, Tx } from '../database.js';
import { isStaleStatement, isTransactionConflict } from './database-errors.js';

export type Following = () => Promise<void> | void;

interface Binding {
  pool: PostgresPool;
  client: PostgresPoolClient;
  savepoints: number;
  ended: boolean;
  afterwards: Set<Following>;
}

const bindings = new AsyncLocalStorage<Binding>();

/** Runs the work after the current transaction commits. Returns false without a transaction. */
function putOff(work: Following): boolean {
  const binding = bindings.getStore();
  if (!binding || binding.ended) return false;
  binding.afterwards.add(work);
  return true;
}

/** A pool whose users can temporarily share one transaction. */
interface JoinablePool extends PostgresPool {
  /**
   * Runs `work` in one transaction for all users of this pool. Transactions opened inside become savepoints.
   */
  atomically<T>(work: () => Promise<T>): Promise<T>;
}

export function joinablePool(inner: PostgresPool): JoinablePool {
  const pool: JoinablePool = {
    connect() {
      const binding = bindings.getStore();
      // Work that outlives its transaction continues on separate connections.
      const joins = binding && binding.pool === pool && !binding.ended;
      return joins ? Promise.resolve(joiningClient(binding)) : inner.connect();
    },
    end: () => inner.end(),

    async atomically(work) {
      const client = await inner.connect();
      const binding: Binding = { pool, client, savepoints: 0, ended: false, afterwards: new Set() };
      let result: Awaited<ReturnType<typeof work>>;
      try {
        await client.query('begin', []);
        result = await bindings.run(binding, work);
        binding.ended = true;
        await client.query('commit', []);
      } catch (error) {
        binding.ended = true;
        await client.query('rollback', []).catch(() => {});
        throw error;
      } finally {
        client.release();
      }
      for (const each of binding.afterwards) await each();
      return result;
    },
  };
  return pool;
}

/** Uses the shared connection. A nested transaction becomes a savepoint. */
function joiningClient(binding: Binding): PostgresPoolClient {
  let savepoint: string | undefined;

  const translate = (text: string): string => {
    if (text === 'begin' || text.startsWith('start transaction')) {
      binding.savepoints += 1;
      savepoint = `part_${binding.savepoints}`;
      return `savepoint ${savepoint}`;
    }
    if (savepoint && text === 'commit') return `release savepoint ${savepoint}`;
    if (savepoint && text === 'rollback') return `rollback to savepoint ${savepoint}`;
    return text;
  };

  return {
    query: ((text: string, parameters: ReadonlyArray<unknown>): Promise<PostgresQueryResult<unknown>> =>
      binding.client.query(translate(text), parameters)) as PostgresPoolClient['query'],
    release: () => {},
  };
}

const MOST_RETRIES = 3;

type Afterwards = Set<Following>;

const afterwardsOf = new WeakMap<Db | Tx, Afterwards>();

/**
 * Runs `work` in a transaction, or joins the given one. Retries after a deadlock or serialization failure, so
 * `work` must have no effects outside the database.
 */
export async function inTransaction<T>(db: Db | Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Tx);
  const { result, afterwards } = await commit(db, work);
  for (const each of afterwards) if (!putOff(each)) await each();
  return result;
}

async function commit<T>(db: Db | Tx, work: (tx: Tx) => Promise<T>) {
  for (let retries = 0; ; retries += 1) {
    const afterwards: Afterwards = new Set();
    try {
      const result = await db.transaction().execute((tx) => {
        afterwardsOf.set(tx, afterwards);
        return work(tx);
      });
      return { result, afterwards };
    } catch (error) {
      const worthRetrying = isTransactionConflict(error) || isStaleStatement(error);
      if (!worthRetrying || retries === MOST_RETRIES) throw error;
      await pause(Math.random() * 20 * 2 ** retries);
    }
  }
}

/**
 * Runs `work` after the transaction commits and before the caller of `inTransaction` continues. A function
 * that is passed several times runs once. It must not throw, because the data is already committed.
 */
export function afterCommit(db: Db | Tx, work: Following): void {
  const waiting = afterwardsOf.get(db);
  if (waiting) waiting.add(work);
  else if (db.isTransaction) throw new Error('Only inTransaction knows when a transaction has committed');
  else if (!putOff(work)) void work();
}
