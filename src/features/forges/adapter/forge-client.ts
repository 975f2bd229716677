import { type JsonObject, readList } from './answer-values.js';
import { ForgeFailed, type ForgeFault } from './forge.js';
import type { ForgeAnswer, ForgeCall, ForgeCaller } from './forge-call.js';

export type Query = Readonly<Record<string, string | number | undefined>>;

export type ForgeClient = ReturnType<typeof createForgeClient>;

const MOST_IN_A_PAGE = 100;

/**
 * The requests of one adapter: all start at one address and carry one token. `fullPage` is the host's query for a page of the
 * largest size.
 */
export function createForgeClient(
  caller: ForgeCaller,
  apiUrl: string,
  headers: Readonly<Record<string, string>>,
  fullPage: Readonly<Record<string, number>>,
) {
  const pageSize = Object.values(fullPage)[0]!;

  const prepare = (
    method: ForgeCall['method'],
    path: string,
    query: Query = {},
    body?: unknown,
  ): ForgeCall => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
    const url = `${apiUrl.replace(/\/+$/, '')}${path}${given.length > 0 ? `?${search}` : ''}`;
    return { method, url, headers: { ...headers }, ...(body !== undefined && { body }) };
  };

  const get = (path: string, query?: Query): Promise<ForgeAnswer> => caller.ask(prepare('GET', path, query));

  async function readPage(
    path: string,
    query: Query,
    page: number | string,
    listIn = (content: unknown) => content,
  ) {
    const answer = await get(path, { ...query, ...fullPage, page });
    const items = readList(listIn(answer.content), MOST_IN_A_PAGE);
    const hasNext = items.length > 0 && isFollowed(answer, items.length === pageSize);
    return { items, hasNext, headers: answer.headers };
  }

  return {
    readPage,

    async read(path: string, query?: Query): Promise<unknown> {
      return (await get(path, query)).content;
    },

    async send(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<unknown> {
      return (await caller.ask(prepare(method, path, {}, body))).content;
    },

    /** Up to `pages` pages; `listIn` finds the list in an answer. */
    async readPages(
      path: string,
      query: Query,
      { pages, listIn }: { pages: number; listIn?: (content: unknown) => unknown },
    ): Promise<JsonObject[]> {
      const found: JsonObject[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const { items, hasNext } = await readPage(path, query, page, listIn);
        found.push(...items);
        if (!hasNext) break;
      }
      return found;
    },

    readTail: (path: string, lines: number): Promise<string> => caller.readTail(prepare('GET', path), lines),
  };
}

/** Without a `Link` header, a full page is assumed to have a next one. */
function isFollowed({ headers }: ForgeAnswer, isFull: boolean): boolean {
  const link = headers['link'];
  return link === undefined ? isFull : /;\s*rel="?next\b/i.test(String(link));
}

/** Undefined where the host answers with one of these faults. */
export async function unlessFault<T>(
  faults: readonly ForgeFault[],
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ForgeFailed && faults.includes(error.fault)) return undefined;
    throw error;
  }
}

export const unlessMissing = <T>(work: Promise<T>): Promise<T | undefined> => unlessFault(['missing'], work);
