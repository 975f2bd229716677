import { setTimeout as pause } from 'node:timers/promises';
import type { Db, Tx } from '../database.js';
import { isStaleStatement, isTransactionConflict } from './database-errors.js';
import { type Following, putOff } from './joined-transaction.js';

const MOST_RETRIES = 3;

type Afterwards = Set<Following>;

const afterwardsOf = new WeakMap<Db | Tx, Afterwards>();

/**
 * Runs `work` in a transaction and commits what it did, or nothing when it throws. After a deadlock or a serialization failure
 * it runs again, so `work` must not touch anything but the database. Called with a transaction, it joins that one.
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
 * Runs `work` once what `db` writes has committed, before the caller of `inTransaction` goes on, and never when it is undone. The same
 * function runs once, however often it is passed. It must not throw: what was written stays written.
 */
export function afterCommit(db: Db | Tx, work: Following): void {
  const waiting = afterwardsOf.get(db);
  if (waiting) waiting.add(work);
  else if (db.isTransaction) throw new Error('Only inTransaction knows when a transaction has committed');
  else if (!putOff(work)) void work();
}
