import { setMaxListeners } from 'node:events';

export class DeadlineExceeded extends Error {}

/** Gives up waiting after a while; the work itself is left to end on its own. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DeadlineExceeded(`Nothing came of it within ${milliseconds} ms`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the work ended in time, well or not. */
export const endsWithin = (milliseconds: number, work: Promise<unknown>): Promise<boolean> =>
  within(milliseconds, work).then(
    () => true,
    (error: unknown) => !(error instanceof DeadlineExceeded),
  );

/** An end that any number of pieces of work may listen for; Node would call more than ten a leak. */
export function newAbort(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}
