import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { tracePart } from '../../../kernel/tracing.js';
import { isConnectionFailure, isStaleStatement } from './database-errors.js';
import { KnownShapeQuery, type NamedQuery } from './known-shape-query.js';
import type { WatchedPool } from './pools.js';

interface Statement {
  uses: number;
  name: string;
}

const REMEMBERED_TEXTS = 2000;
const LONGEST_TEXT = 20_000;
const NAMES_PER_CONNECTION = 400;
const USES_BEFORE_NAMING = 2;
const PREPARABLE = /^\s*(select|insert|update|delete|merge|with)\b/i;

/**
 * Names statements that are used more than once. A text keeps its name, and a name is never reused for
 * another text.
 */
function createStatementNames() {
  const texts = new LRUCache<string, Statement>({ max: REMEMBERED_TEXTS });
  let made = 0;
  return {
    findName(text: string): string | undefined {
      const known = texts.get(text);
      if (known) {
        known.uses += 1;
        return known.uses >= USES_BEFORE_NAMING ? known.name : undefined;
      }
      if (text.length > LONGEST_TEXT || !PREPARABLE.test(text)) return undefined;
      made += 1;
      texts.set(text, { uses: 1, name: `guildhall_${made}` });
      return undefined;
    },

    /**
     * The text gets a new name on its next use, because other connections may still hold the old statement.
     */
    forget: (text: string) => void texts.delete(text),
  };
}

type StatementName = Pick<NamedQuery, 'name' | 'replaces'>;
type StatementNames = ReturnType<typeof createStatementNames>;

/** Prepares repeated statements on a connection and drops the least recently used ones. */
function preparingClient(client: pg.PoolClient, statements: StatementNames): PostgresPoolClient {
  /** Ordered by last use. */
  const prepared = new Set<string>();
  let spoiled = false;

  const chooseName = (text: string): StatementName | undefined => {
    const name = spoiled ? undefined : statements.findName(text);
    if (name === undefined) return undefined;
    const isKnown = prepared.delete(name);
    prepared.add(name);
    return isKnown || prepared.size <= NAMES_PER_CONNECTION ? { name } : { name, replaces: takeUnused() };
  };

  const takeUnused = (): string => {
    const [name] = prepared;
    prepared.delete(name!);
    return name!;
  };

  async function query<R>(
    text?: unknown,
    parameters: ReadonlyArray<unknown> = [],
  ): Promise<PostgresQueryResult<R>> {
    if (typeof text !== 'string') throw new Error('Cursors are not supported');
    const values = parameters as unknown[];
    const name = chooseName(text);
    // Read before the query, because the driver reports an error before the server reports the new status.
    const outsideTransaction = client.getTransactionStatus() === 'I';
    try {
      return await run<R>(client, { ...name, text, values });
    } catch (error) {
      // Without this the stack would point to the socket instead of the caller.
      if (error instanceof Error) Error.captureStackTrace(error);
      if (isConnectionFailure(error)) spoiled = true;
      if (!name || !isStaleStatement(error)) throw error;
      spoiled = true;
      statements.forget(text);
      if (!outsideTransaction) throw error;
      return await run<R>(client, { text, values });
    }
  }

  return {
    query: query as PostgresPoolClient['query'],
    /** Closing the connection drops all its statements, and the pool opens a new one. */
    release: () => client.release(spoiled),
  };
}

const run = <R>(client: pg.PoolClient, query: NamedQuery): Promise<PostgresQueryResult<R>> =>
  tracePart(
    () => describeStatement(query.text),
    () =>
      new Promise<PostgresQueryResult<R>>((resolve, reject) => {
        const answer = (error: Error | null, result: unknown) =>
          error ? reject(error) : resolve(result as PostgresQueryResult<R>);
        client.query(new KnownShapeQuery(query, answer) as unknown as pg.Submittable);
      }),
  );

const LONGEST_TOLD = 2000;

/** Records the text only, never the parameters. */
const describeStatement = (text: string) => ({
  name: text.trimStart().split(/\s/, 1)[0]!.toUpperCase(),
  kind: 'client' as const,
  attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, LONGEST_TOLD) },
});

/** The pool for Kysely. It takes each connection from the chosen pool and prepares repeated statements. */
export function preparingPool(choosePool: () => Pick<WatchedPool, 'connect'>): PostgresPool {
  const statements = createStatementNames();
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const prepare = (client: pg.PoolClient): PostgresPoolClient => {
    let preparing = clients.get(client);
    if (!preparing) {
      preparing = preparingClient(client, statements);
      clients.set(client, preparing);
    }
    return preparing;
  };
  return {
    connect: () => choosePool().connect().then(prepare),
    end: async () => {},
  };
}
