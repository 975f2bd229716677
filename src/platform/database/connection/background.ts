import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** A read that may be a moment old, and the replica that answers it. Work that outlives it goes on with the primary. */
interface LaggingRead {
  replica: Pick<pg.Pool, 'connect'>;
  ended: boolean;
}

/** Whose connections the present work takes; nobody's in particular: those of the requests. */
type Purpose = 'background' | 'urgent' | LaggingRead;

const purpose = new AsyncLocalStorage<Purpose>();

/**
 * Runs work that no caller waits for. Whatever it asks of the database, in whichever room, goes through connections that are
 * set apart for it: however long it takes, requests find theirs free.
 */
export const inBackground = <T>(work: () => T): T => purpose.run('background', work);

/** Runs work that must be done when everything else waits, such as saying that one is alive: a few connections are kept free for it. */
export const urgently = <T>(work: () => T): T => purpose.run('urgent', work);

/** Runs a read with the connections of a replica. */
export async function onReplica<T>(replica: LaggingRead['replica'], work: () => Promise<T>): Promise<T> {
  const read: LaggingRead = { replica, ended: false };
  try {
    return await purpose.run(read, work);
  } finally {
    read.ended = true;
  }
}

export const currentPurpose = (): Purpose | undefined => {
  const present = purpose.getStore();
  return typeof present === 'object' && present.ended ? undefined : present;
};
