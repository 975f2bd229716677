import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Continues synchronously when the value is not a promise. Awaiting at every step of a request costs more
 * than the steps themselves.
 */
export const soon = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

export class DeadlineExceeded extends Error {}

/** Stops waiting after the given time. The work itself continues. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DeadlineExceeded(`No result within ${milliseconds} ms`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the work settles in time, with or without an error. */
export const endsWithin = (milliseconds: number, work: Promise<unknown>): Promise<boolean> =>
  within(milliseconds, work).then(
    () => true,
    (error: unknown) => !(error instanceof DeadlineExceeded),
  );

/** An abort signal for any number of listeners. By default Node warns about a leak after ten. */
export function newAbort(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}

const STRETCH_MS = 10;

/** Lets long work share the event loop: await the result of the returned function between two steps. */
export function yieldRegularly(stretchMs = STRETCH_MS): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < stretchMs) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}

/**
 * Batches writes per key: calls made during a write join the next one. Each caller waits for the write with
 * its item and receives its error.
 */
export function joinWrites<K, T>(
  write: (key: K, things: readonly T[]) => Promise<void>,
): (key: K, thing: T) => Promise<void> {
  const last = new Map<K, Promise<void>>();
  const waiting = new Map<K, { things: T[]; written: Promise<void> }>();

  return (key, thing) => {
    const open = waiting.get(key);
    if (open) {
      open.things.push(thing);
      return open.written;
    }
    const things = [thing];
    const before = last.get(key);
    const begin = async () => {
      if (before) {
        await before.catch(() => undefined);
        waiting.delete(key);
      }
      await write(key, things);
    };
    const written = begin().finally(() => {
      if (last.get(key) === written) last.delete(key);
    });
    last.set(key, written);
    if (before) waiting.set(key, { things, written });
    return written;
  };
}
