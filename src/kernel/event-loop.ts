import { setImmediate as nextTurn } from 'node:timers/promises';

const STRETCH_MS = 10;

/**
 * Long work shares the event loop: what is returned is awaited between two pieces, and lets everybody else in whenever
 * a stretch has lasted long enough.
 */
export function takeTurns(stretchMs = STRETCH_MS): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < stretchMs) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}
