import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { faultOf, type GuildhallError } from './client.js';

/**
 * What was read from the service, by key, shared by all components. A page that is opened again shows what is known
 * at once and reads it anew behind the scenes, so nothing jumps.
 */
interface Snapshot {
  data?: unknown;
  fault?: GuildhallError;
  loading: boolean;
}

const EMPTY: Snapshot = { loading: true };
const snapshots = new Map<string, Snapshot>();
const watchers = new Map<string, Set<() => void>>();
const reloaders = new Map<string, Set<() => void>>();

function publish(key: string, snapshot: Snapshot): void {
  snapshots.set(key, snapshot);
  for (const tell of watchers.get(key) ?? []) tell();
}

/** Reads again whatever is on screen and whose key begins so; forgets the rest. */
export function refresh(beginning: string): void {
  for (const key of [...snapshots.keys()]) {
    if (!key.startsWith(beginning)) continue;
    const live = reloaders.get(key);
    if (live?.size) for (const reload of live) reload();
    else snapshots.delete(key);
  }
}

export function putResource<T>(key: string, change: (data: T | undefined) => T | undefined): void {
  const current = snapshots.get(key);
  publish(key, { loading: false, data: change(current?.data as T | undefined) });
}

/** Another person, or nobody: nothing of what was read may stay. */
export function forgetEverything(): void {
  snapshots.clear();
}

export interface Resource<T> {
  data: T | undefined;
  fault: GuildhallError | undefined;
  /** Nothing to show yet. */
  loading: boolean;
  reload(): void;
}

/** `key` null reads nothing. `pollMs` reads again while the page is visible. */
export function useResource<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  options: { pollMs?: number | null } = {},
): Resource<T> {
  const { pollMs = null } = options;
  const loader = useRef(load);
  loader.current = load;
  const running = useRef<AbortController>(undefined);

  const snapshot = useSyncExternalStore(
    useCallback((tell: () => void) => add(watchers, key ?? '', tell), [key]),
    () => (key === null ? EMPTY : (snapshots.get(key) ?? EMPTY)),
  );

  const reload = useCallback(() => {
    if (key === null) return;
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    loader.current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) publish(key, { data, loading: false });
      },
      (error) => {
        if (controller.signal.aborted) return;
        publish(key, { data: snapshots.get(key)?.data, fault: faultOf(error), loading: false });
      },
    );
  }, [key]);

  useEffect(() => {
    if (key === null) return;
    reload();
    const release = add(reloaders, key, reload);
    return () => {
      release();
      running.current?.abort();
    };
  }, [key, reload]);

  useEffect(() => {
    if (pollMs === null || key === null) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, pollMs);
    return () => clearInterval(timer);
  }, [key, pollMs, reload]);

  return {
    data: snapshot.data as T | undefined,
    fault: snapshot.fault,
    loading: snapshot.data === undefined && snapshot.fault === undefined,
    reload,
  };
}

function add(map: Map<string, Set<() => void>>, key: string, value: () => void): () => void {
  const set = map.get(key) ?? new Set();
  map.set(key, set.add(value));
  return () => {
    set.delete(value);
    if (set.size === 0) map.delete(key);
  };
}

/** While another question is being answered, the last answer stays on screen. */
export function useKept<T>(resource: Resource<T>): Resource<T> {
  const last = useRef<T>(undefined);
  if (resource.data !== undefined) last.current = resource.data;
  const data = resource.data ?? (resource.fault ? undefined : last.current);
  return { ...resource, data, loading: data === undefined && resource.loading };
}
