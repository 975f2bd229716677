import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { isConnectionFailure, isStaleStatement } from './database-errors.js';

interface Statement {
  uses: number;
  name: string;
}

const REMEMBERED_TEXTS = 2000;
const LONGEST_TEXT = 20_000;
const NAMES_PER_CONNECTION = 400;
const USES_BEFORE_NAMING = 2;
const PREPARABLE = /^\s*(select|insert|update|delete|merge|with)\b/i;

/** Counts statement texts and names those that come back; a text keeps one name, a name never gets another text. */
class StatementNames {
  #texts = new LRUCache<string, Statement>({ max: REMEMBERED_TEXTS });
  #made = 0;

  findName(text: string): string | undefined {
    const known = this.#texts.get(text);
    if (known) {
      known.uses += 1;
      return known.uses >= USES_BEFORE_NAMING ? known.name : undefined;
    }
    if (text.length > LONGEST_TEXT || !PREPARABLE.test(text)) return undefined;
    this.#made += 1;
    this.#texts.set(text, { uses: 1, name: `guildhall_${this.#made}` });
    return undefined;
  }

  /** The text gets another name when it comes back: what other connections know under the old one may be as stale. */
  forget(text: string): void {
    this.#texts.delete(text);
  }
}

/** A connection that lets the server keep the plans of repeated statements. */
class PreparingClient implements PostgresPoolClient {
  #client: pg.PoolClient;
  #statements: StatementNames;
  #prepared = new Set<string>();
  #spoiled = false;

  constructor(client: pg.PoolClient, statements: StatementNames) {
    this.#client = client;
    this.#statements = statements;
  }

  query<R>(text: string, parameters: ReadonlyArray<unknown>): Promise<PostgresQueryResult<R>>;
  query(): never;
  async query<R>(text?: string, parameters: ReadonlyArray<unknown> = []): Promise<PostgresQueryResult<R>> {
    if (typeof text !== 'string') throw new Error('Cursors are not supported');
    const values = [...parameters];
    const name = this.#chooseName(text);
    // Read before the query runs: the driver reports an error before the server tells the new status.
    const outsideTransaction = this.#client.getTransactionStatus() === 'I';
    try {
      return await this.#run<R>({ ...(name && { name }), text, values });
    } catch (error) {
      if (isConnectionFailure(error)) this.#spoiled = true;
      if (!name || !isStaleStatement(error)) throw error;
      this.#spoiled = true;
      this.#statements.forget(text);
      if (!outsideTransaction) throw error;
      return await this.#run<R>({ text, values });
    }
  }

  async #run<R>(query: pg.QueryConfig): Promise<PostgresQueryResult<R>> {
    const { command, rowCount, rows } = await this.#client.query(query);
    return {
      command: command as PostgresQueryResult<R>['command'],
      rowCount: rowCount ?? 0,
      rows: rows as R[],
    };
  }

  /** A spoiled connection is closed, which drops every name it had; the pool opens another. */
  release(): void {
    this.#client.release(this.#spoiled);
  }

  #chooseName(text: string): string | undefined {
    const name = this.#spoiled ? undefined : this.#statements.findName(text);
    if (name === undefined || this.#prepared.has(name)) return name;
    if (this.#prepared.size >= NAMES_PER_CONNECTION) return undefined;
    this.#prepared.add(name);
    return name;
  }
}

/** The pool as Kysely sees it: connections that prepare what they are asked repeatedly. */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const statements = new StatementNames();
  const clients = new WeakMap<pg.PoolClient, PreparingClient>();
  return {
    async connect() {
      const client = await pool.connect();
      let preparing = clients.get(client);
      if (!preparing) {
        preparing = new PreparingClient(client, statements);
        clients.set(client, preparing);
      }
      return preparing;
    },
    // The pool belongs to the one who made it.
    end: async () => {},
  };
}
