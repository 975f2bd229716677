import {
  type InfiniteData,
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { faultOf, type GuildhallError } from './client.js';

/**
 * Answers of the service, by key, shared by all components. A page that is opened again shows what is known
 * at once and reads it anew behind the scenes, so nothing jumps. Keys are written as `kind:id`, so that a change can
 * refresh everything whose key begins alike.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    // A person sees at once that the service is busy, and decides what to do.
    queries: {
      retry: false,
      staleTime: 0,
      gcTime: 10 * 60_000,
      networkMode: 'always',
      // Not by itself where every question is asked whatever the browser thinks of its line.
      refetchOnReconnect: true,
    },
  },
});

const startsWith =
  (beginning: string) =>
  ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
    String(queryKey[0]).startsWith(beginning);

/** Reads again whatever is on screen and whose key begins so; the rest is read when it is next shown. */
export function refresh(beginning: string): void {
  void queryClient.invalidateQueries({ predicate: startsWith(beginning) });
}

/**
 * Changes what is on screen without asking. A reading under way must not overwrite it: it is stopped, and begins anew,
 * for what it was to bring is not known yet.
 */
export function putResource<T>(key: string, change: (data: T | undefined) => T | undefined): void {
  const stopped = isReading(key);
  void queryClient.cancelQueries({ queryKey: [key] }, { revert: false });
  queryClient.setQueryData<T>([key], change);
  if (stopped) void queryClient.invalidateQueries({ queryKey: [key] });
}

/** The same, but a reading under way goes on, and overwrites it: whoever calls this looks after that. */
export const amendResource = <T>(key: string, change: (data: T | undefined) => T | undefined): void =>
  void queryClient.setQueryData<T>([key], change);

export const isReading = (key: string): boolean => queryClient.isFetching({ queryKey: [key] }) > 0;

export const peekResource = <T>(key: string): T | undefined => queryClient.getQueryData<T>([key]);

/** Another person, or nobody: nothing of what was read may stay. */
export function forgetEverything(): void {
  void queryClient.cancelQueries();
  queryClient.clear();
}

export interface Resource<T> {
  data: T | undefined;
  fault: GuildhallError | undefined;
  /** Nothing to show yet. */
  loading: boolean;
  /** What is shown is being read again, or belongs to the question before. */
  refreshing: boolean;
  reload(): void;
}

function tellFault(error: unknown): never {
  throw faultOf(error);
}

interface ReadOptions {
  /** Reads again so often while the page is visible. */
  pollMs?: number | null;
  /** While another question is being answered, the last answer stays on screen. */
  keep?: boolean;
  /** Newer answers are shown without reading them again. */
  freshMs?: number;
}

const HEAL_MS = 10_000;

/**
 * What is read by itself goes on so, unless it is gone or closed to this person; what could not be read because the
 * service was away is asked for until it is back.
 */
const intervalOf =
  (pollMs: number | null) =>
  ({ state: { error } }: { state: { error: GuildhallError | null } }): number | false => {
    if (!error) return pollMs ?? false;
    return isPassing(error) ? (pollMs ?? HEAL_MS) : false;
  };

const isPassing = ({ status }: GuildhallError): boolean => status === 0 || status === 429 || status >= 500;

/** `key` null reads nothing. */
export function useResource<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { pollMs = null, keep = false, freshMs = 0 }: ReadOptions = {},
): Resource<T> {
  const query = useQuery<T, GuildhallError>({
    queryKey: [key ?? ''],
    queryFn: ({ signal }) => load(signal).catch(tellFault),
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
  /** Undefined when everything is read. */
  readMore: (() => void) | undefined;
  readingMore: boolean;
}

/** A list that is read page by page, each page where the one before ended. */
export function usePages<P extends PagedAnswer>(
  key: string | null,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<P>,
  { pollMs = null, keep = false }: ReadOptions = {},
): Pages<P> {
  const query = useInfiniteQuery<P, GuildhallError, InfiniteData<P>, string[], string | undefined>({
    queryKey: [key ?? ''],
    queryFn: ({ pageParam, signal }) => load(pageParam, signal).catch(tellFault),
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

/** The same at once, for everything whose key begins so: a reading under way is stopped, and the caller reads it anew. */
export function amendAll<T>(beginning: string, change: (data: T) => T): () => void {
  const filter = { predicate: startsWith(beginning) };
  void queryClient.cancelQueries(filter);
  const before = queryClient.getQueriesData<T>(filter);
  queryClient.setQueriesData<T>(filter, (data) => data && change(data));
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data);
  };
}

/** The same for everything whose key begins so; answers the way back to what each of it was. */
export async function changeAll<T>(beginning: string, change: (data: T) => T): Promise<() => void> {
  const filter = { predicate: startsWith(beginning) };
  await queryClient.cancelQueries(filter);
  const before = queryClient.getQueriesData<T>(filter);
  queryClient.setQueriesData<T>(filter, (data) => data && change(data));
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data);
  };
}

/**
 * A change that is shown before the service has agreed. When it refuses or cannot be reached, the page shows again
 * exactly what it showed before, and the refusal is thrown for the caller to tell.
 */
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
