import { AsyncLocalStorage } from 'node:async_hooks';

const background = new AsyncLocalStorage<true>();

/**
 * Runs work that no caller waits for. Whatever it asks of the database, in whichever room, goes through connections that are
 * set apart for it: however long it takes, requests find theirs free.
 */
export const inBackground = <T>(work: () => T): T => background.run(true, work);

export const isInBackground = (): boolean => background.getStore() === true;
