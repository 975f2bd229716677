import { ForgeFailed } from './forge.js';
import type { ForgeAnswer, ForgeCall, ForgeCaller } from './forge-call.js';
import { readList, type Thing } from './reading.js';

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The calls of one adapter: they begin at one address and show one token. */
export function openLine(caller: ForgeCaller, root: string, headers: Readonly<Record<string, string>>) {
  const prepare = (
    method: ForgeCall['method'],
    path: string,
    query: Query = {},
    body?: unknown,
  ): ForgeCall => {
    const asked = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(asked.map(([name, value]): [string, string] => [name, String(value)]));
    const url = `${root.replace(/\/+$/, '')}${path}${asked.length > 0 ? `?${search}` : ''}`;
    return { method, url, headers: { ...headers }, ...(body !== undefined && { body }) };
  };

  const get = (path: string, query?: Query): Promise<ForgeAnswer> => caller.ask(prepare('GET', path, query));

  return {
    get,
    async read(path: string, query?: Query): Promise<unknown> {
      return (await get(path, query)).content;
    },
    async send(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<unknown> {
      return (await caller.ask(prepare(method, path, {}, body))).content;
    },
    /** Page after page, no more than `pages` of them. */
    async readPages(
      path: string,
      query: Query,
      { size, pages, listIn = (content: unknown) => content }: PageRules,
    ): Promise<Thing[]> {
      const found: Thing[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const answer = await get(path, { ...query, ...size, page });
        const list = readList(listIn(answer.content), MOST_IN_A_PAGE);
        found.push(...list);
        if (list.length === 0 || !hasNext(answer, list.length === Object.values(size)[0])) break;
      }
      return found;
    },
    readTail: (path: string, lines: number): Promise<string> => caller.readTail(prepare('GET', path), lines),
  };
}

const MOST_IN_A_PAGE = 100;

/** As the host says it; where it says nothing, a full page has one after it. */
export function hasNext({ headers }: ForgeAnswer, isFull: boolean): boolean {
  const link = headers['link'];
  return link === undefined ? isFull : /;\s*rel="?next\b/i.test(String(link));
}

export interface PageRules {
  /** How the host calls the size of a page, and how large it is to be. */
  size: Readonly<Record<string, number>>;
  pages: number;
  /** Where the list is in the answer. */
  listIn?: (content: unknown) => unknown;
}

/** Nothing, where the host has no such thing. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ForgeFailed && error.fault === 'missing') return undefined;
    throw error;
  }
}

/** Whether the host lets the token do this; whatever else is in the way is another matter. */
export async function isAllowed(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    // What is asked only to see whether it would be refused may well fail otherwise.
    if (!(error instanceof ForgeFailed) || error.fault === 'limited') throw error;
    return error.fault !== 'refused';
  }
}

/** A log is an extra: whoever cannot have it goes on without it. To have asked too much is to be heeded all the same. */
export async function unlessKeptBack(work: Promise<string>): Promise<string | undefined> {
  try {
    return (await work) || undefined;
  } catch (error) {
    if (error instanceof ForgeFailed && error.fault !== 'limited') return undefined;
    throw error;
  }
}
