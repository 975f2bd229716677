import {
  type InfiniteData,
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { faultOf, type GuildhallError } from './client.js';

/**
 * API responses by key, shared by all components. A revisited page shows cached data immediately and
 * refreshes it in the background. Keys have the form `kind:id`, so that a change can refresh everything with
 * the same prefix.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    // No retries: users see immediately that the service is busy and decide for themselves.
    queries: {
      retry: false,
      staleTime: 0,
      gcTime: 10 * 60_000,
      networkMode: 'always',
      // Must be set explicitly: with networkMode `always` it defaults to false.
      refetchOnReconnect: true,
    },
  },
});

const startsWith =
  (beginning: string) =>
  ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
    String(queryKey[0]).startsWith(beginning);

/** Reloads visible resources whose key starts with the prefix; others reload when they are next shown. */
export function refresh(beginning: string): void {
  void queryClient.invalidateQueries({ predicate: startsWith(beginning) });
}

/**
 * Updates a cached resource. A running read is canceled and restarted, so that it cannot overwrite the update
 * with older data.
 */
export function putResource<T>(key: string, change: (data: T | undefined) => T | undefined): void {
  const stopped = isReading(key);
  void queryClient.cancelQueries({ queryKey: [key] }, { revert: false });
  queryClient.setQueryData<T>([key], change);
  if (stopped) void queryClient.invalidateQueries({ queryKey: [key] });
}

/** Like `putResource`, but a running read continues and may overwrite the update with older data. */
export const amendResource = <T>(key: string, change: (data: T | undefined) => T | undefined): void =>
  void queryClient.setQueryData<T>([key], change);

export const isReading = (key: string): boolean => queryClient.isFetching({ queryKey: [key] }) > 0;

export const peekResource = <T>(key: string): T | undefined => queryClient.getQueryData<T>([key]);

/** Discards all data when the user changes or signs out. */
export function forgetEverything(): void {
  void queryClient.cancelQueries();
  queryClient.clear();
}

export interface Resource<T> {
  data: T | undefined;
  fault: GuildhallError | undefined;
  loading: boolean;
  /** The shown data is being reloaded, or belongs to the previous key. */
  refreshing: boolean;
  reload(): void;
}

function reportFault(error: unknown): never {
  throw faultOf(error);
}

interface ReadOptions {
  /** Polling interval while the page is visible. */
  pollMs?: number | null;
  /** Keeps the previous data on screen while a new key loads. */
  keep?: boolean;
  /** Data younger than this is not reloaded. */
  freshMs?: number;
}

const HEAL_MS = 10_000;

/**
 * Polling continues after temporary errors, but not after permanent ones such as 403 or 404. Reads without
 * polling retry while the service is unreachable.
 */
const intervalOf =
  (pollMs: number | null) =>
  ({ state: { error } }: { state: { error: GuildhallError | null } }): number | false => {
    if (!error) return pollMs ?? false;
    return isPassing(error) ? (pollMs ?? HEAL_MS) : false;
  };

const isPassing = ({ status }: GuildhallError): boolean => status === 0 || status === 429 || status >= 500;

/** A null `key` disables the read. */
export function useResource<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { pollMs = null, keep = false, freshMs = 0 }: ReadOptions = {},
): Resource<T> {
  const query = useQuery<T, GuildhallError>({
    queryKey: [key ?? ''],
    queryFn: ({ signal }) => load(signal).catch(reportFault),
    enabled: key !== null,
    refetchInterval: intervalOf(pollMs),
    staleTime: freshMs,
    placeholderData: keep ? keepPreviousData : undefined,
  });
  return {
    data: query.data,
    fault: query.error ?? undefined,
    loading: query.data === undefined && query.error === null,
    refreshing: query.isFetching || query.isPlaceholderData,
    reload: () => void query.refetch(),
  };
}

interface PagedAnswer {
  next_cursor: string | null;
}

export interface Pages<P> extends Resource<P[]> {
  /** Undefined when everything is loaded. */
  readMore: (() => void) | undefined;
  readingMore: boolean;
}

export function usePages<P extends PagedAnswer>(
  key: string | null,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<P>,
  { pollMs = null, keep = false }: ReadOptions = {},
): Pages<P> {
  const query = useInfiniteQuery<P, GuildhallError, InfiniteData<P>, string[], string | undefined>({
    queryKey: [key ?? ''],
    queryFn: ({ pageParam, signal }) => load(pageParam, signal).catch(reportFault),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    enabled: key !== null,
    refetchInterval: intervalOf(pollMs),
    placeholderData: keep ? keepPreviousData : undefined,
  });
  return {
    data: query.data?.pages,
    fault: query.error ?? undefined,
    loading: query.data === undefined && query.error === null,
    refreshing: query.isFetching || query.isPlaceholderData,
    reload: () => void query.refetch(),
    readMore: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    readingMore: query.isFetchingNextPage,
  };
}

/** Synchronous `changeAll`: cancels running reads, so the caller must refresh afterwards. */
export function amendAll<T>(beginning: string, change: (data: T) => T): () => void {
  const filter = { predicate: startsWith(beginning) };
  void queryClient.cancelQueries(filter);
  const before = queryClient.getQueriesData<T>(filter);
  queryClient.setQueriesData<T>(filter, (data) => data && change(data));
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data);
  };
}

/** Updates all cached resources with the key prefix; returns a function that restores their previous data. */
export async function changeAll<T>(beginning: string, change: (data: T) => T): Promise<() => void> {
  const filter = { predicate: startsWith(beginning) };
  await queryClient.cancelQueries(filter);
  const before = queryClient.getQueriesData<T>(filter);
  queryClient.setQueriesData<T>(filter, (data) => data && change(data));
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data);
  };
}

/** Shows a change before the service confirms it. On failure it restores the data and rethrows. */
export async function changeOptimistically<T, R>(
  key: string,
  change: (data: T) => T,
  perform: () => Promise<R>,
): Promise<R> {
  await queryClient.cancelQueries({ queryKey: [key] });
  const before = queryClient.getQueryData<T>([key]);
  if (before !== undefined) queryClient.setQueryData<T>([key], change(before));
  try {
    return await perform();
  } catch (error) {
    if (before !== undefined) queryClient.setQueryData<T>([key], before);
    void queryClient.invalidateQueries({ queryKey: [key] });
    throw error;
  }
}
