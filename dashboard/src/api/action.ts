import { useCallback, useRef, useState } from 'react';
import { faultOf, type GuildhallError } from './client.js';

export interface Action<A extends unknown[], R> {
  busy: boolean;
  fault: GuildhallError | undefined;
  /** Returns undefined on failure and sets `fault`. */
  run(...args: A): Promise<R | undefined>;
  clear(): void;
}

/** Runs a user's write, one at a time, and keeps its error. */
export function useAction<A extends unknown[], R>(perform: (...args: A) => Promise<R>): Action<A, R> {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<GuildhallError>();
  const latest = useRef(perform);
  latest.current = perform;
  const occupied = useRef(false);

  const run = useCallback(async (...args: A): Promise<R | undefined> => {
    if (occupied.current) return undefined;
    occupied.current = true;
    setBusy(true);
    setFault(undefined);
    try {
      return await latest.current(...args);
    } catch (error) {
      setFault(faultOf(error));
      return undefined;
    } finally {
      occupied.current = false;
      setBusy(false);
    }
  }, []);

  return { busy, fault, run, clear: useCallback(() => setFault(undefined), []) };
}
