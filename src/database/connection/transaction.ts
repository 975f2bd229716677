import { setTimeout as pause } from 'node:timers/promises';
import type { Db, Tx } from '../database.js';
import { isStaleStatement, isTransactionConflict } from './database-errors.js';

const MOST_RETRIES = 3;

/**
 * Runs `work` in a transaction and commits what it did, or nothing when it throws. After a deadlock or a serialization failure
 * it runs again, so `work` must not touch anything but the database. Called with a transaction, it joins that one.
 */
export async function inTransaction<T>(db: Db | Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Tx);
  for (let retries = 0; ; retries += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      const worthRetrying = isTransactionConflict(error) || isStaleStatement(error);
      if (!worthRetrying || retries === MOST_RETRIES) throw error;
      await pause(Math.random() * 20 * 2 ** retries);
    }
  }
}
