import { AsyncLocalStorage } from 'node:async_hooks';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';

/** What follows a commit. */
export type Following = () => Promise<void> | void;

/** The transaction that the present work is part of, and the pool whose handles join it. */
interface Binding {
  pool: PostgresPool;
  client: PostgresPoolClient;
  savepoints: number;
  ended: boolean;
  /** What is done once it has committed. */
  afterwards: Set<Following>;
}

const bindings = new AsyncLocalStorage<Binding>();

/** Has the work done when the transaction commits that the present work is part of; false where it is part of none. */
export function putOff(work: Following): boolean {
  const binding = bindings.getStore();
  if (!binding || binding.ended) return false;
  binding.afterwards.add(work);
  return true;
}

/** A pool whose handles can be made to share one transaction for a while, whoever holds them. */
export interface JoinablePool extends PostgresPool {
  /**
   * Runs `work` so that everything it does through this pool commits together or not at all. Transactions that it opens
   * become parts of the one.
   */
  atomically<T>(work: () => Promise<T>): Promise<T>;
}

export function joinablePool(inner: PostgresPool): JoinablePool {
  const pool: JoinablePool = {
    connect() {
      const binding = bindings.getStore();
      // Work that outlives its transaction goes on with connections of its own.
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

/** Speaks to the shared connection; a transaction within the transaction is a savepoint. */
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
