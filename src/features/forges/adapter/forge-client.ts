import { type JsonObject, readList } from './answer-values.js';
import {
  type Check,
  type ForgeAddress,
  ForgeFailed,
  type ForgeFault,
  type Issue,
  type IssueQuery,
  type Opinions,
  type PullRequest,
  type PullRequestChange,
  type PullRequestDraft,
  type PullRequestFilter,
  type Standing,
} from './forge.js';
import type { ForgeAnswer, ForgeCall, ForgeCaller } from './forge-call.js';

export type Query = Readonly<Record<string, string | number | undefined>>;

export type ForgeClient = ReturnType<typeof createForgeClient>;

const MOST_IN_A_PAGE = 100;

/** `fullPage` is the host's query for the largest page. */
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
    const hasNext = items.length > 0 && hasNextPage(answer, items.length === pageSize);
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

    /** Reads up to `pages` pages; `listIn` finds the list in an answer. */
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

/** Without a `Link` header a full page is assumed to have a next one. */
function hasNextPage({ headers }: ForgeAnswer, isFull: boolean): boolean {
  const link = headers['link'];
  return link === undefined ? isFull : /;\s*rel="?next\b/i.test(String(link));
}

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

export interface ForgeDialect {
  /** Sent with every request; one of them contains the token. */
  headers: Readonly<Record<string, string>>;
  fullPage: Readonly<Record<string, number>>;
  longestTitle: number;
  longestBody: number;
  repositoryPath: string;
  pullsPath: string;
  commentsPath(issue: number): string;
  changeMethod: 'PATCH' | 'PUT';
  /** The delay before a reported conflict is confirmed with a second request. */
  conflictRecheckMs?: number;

  readStanding(
    client: ForgeClient,
    repository: JsonObject,
    defaultBranch: string,
  ): Promise<Omit<Standing, 'defaultBranch'>>;
  draftBody(draft: PullRequestDraft): object;
  changeBody(change: PullRequestChange): object;
  listPulls(filter?: PullRequestFilter): { query: Query; pages: number };
  readPull(pull: JsonObject, isListed: boolean): PullRequest;
  readChecks(client: ForgeClient, sha: string): Promise<Check[]>;
  readReviews(client: ForgeClient, pullPath: string): Promise<Opinions>;
  /** The path of a check's log; undefined if the host does not provide it. */
  findLog(client: ForgeClient, log: string): Promise<string | undefined>;
  findDeployment(client: ForgeClient, sha: string): Promise<string | undefined>;
  issuesQuery(query: IssueQuery): Query;
  /** Undefined for a pull request among the issues. */
  readIssue(issue: JsonObject): Issue | undefined;
  hasLabel(labels: readonly string[], label: string): boolean;
  /** Excludes the notes that the host writes itself. */
  readComments(client: ForgeClient, issue: number): Promise<JsonObject[]>;
  authorOf(comment: JsonObject): string;
}

export type CreateDialect = (address: ForgeAddress) => ForgeDialect;
