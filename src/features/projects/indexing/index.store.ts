import { sql } from 'kysely';
import type { CodeNode } from '../../../code/graph/node-table.js';
import { EXTRACTOR_VERSION, type FileFacts } from '../../../code/parsing/facts.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { CodeGraph, type GraphNode } from './code-graph.js';
import { type IndexState, makeState } from './index-state.js';

const CHUNK = 4000;
/** JSON never contains this byte unescaped, so joined texts need no quoting. */
const BETWEEN = '\u0001';

export function indexStore(db: Db | Tx, projectId: string) {
  return {
    async loadState(version: number): Promise<IndexState> {
      const nodes = await sql<CodeNode>`
        select node_no as no, node_id as id, kind, path, symbol, parent_no as parent, live, blob_id as blob,
          symbol_kind as "symbolKind", body_hash as body, masked_hash as masked,
          removed_commit as "removedCommit", removed_step as "removedStep"
        from code_nodes where project_id = ${projectId}`.execute(db);
      const facts = await sql<{ fact_key: string; facts: string }>`
        select fact_key, facts from code_facts
        where project_id = ${projectId} and extractor = ${EXTRACTOR_VERSION}`.execute(db);
      const edges = await sql<{ file_no: number; packed: Buffer }>`
        select file_no, packed from code_edges where project_id = ${projectId}`.execute(db);
      return makeState(
        version,
        nodes.rows,
        new Map(facts.rows.map((row) => [row.fact_key, JSON.parse(row.facts) as FileFacts])),
        new Map(edges.rows.map((row) => [row.file_no, row.packed])),
      );
    },

    /** Keeps other runs of the project from storing until the transaction ends. */
    async lockVersion(version: number): Promise<boolean> {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`index:${projectId}`}, 0))`.execute(db);
      const { rows } = await sql`
        select from projects where project_id = ${projectId} and index_version = ${version}`.execute(db);
      return rows.length > 0;
    },

    /** New nodes are invisible to others until the commit, so this blocks no one. */
    async addNodes(created: readonly CodeNode[], onSaved: (count: number) => Promise<void>): Promise<void> {
      await oneAhead(chunksOf(created), async (chunk) => {
        await sql`
          insert into code_nodes (${NODE_COLUMNS})
          select ${projectId}::uuid, * from ${unnestNodes(chunk)}`.execute(db);
        await onSaved(chunk.length);
      });
    },

    /** Locks existing nodes; must come after the lock on the project's row. */
    async changeNodes(
      { changed, forgotten }: { changed: readonly CodeNode[]; forgotten: readonly number[] },
      onSaved: (count: number) => Promise<void>,
    ): Promise<void> {
      for (const chunk of chunksOf(forgotten))
        await sql`delete from code_nodes
          where project_id = ${projectId} and node_no = any(${chunk}::int[])`.execute(db);
      await oneAhead(chunksOf(changed), async (chunk) => {
        await sql`
          insert into code_nodes (${NODE_COLUMNS})
          select ${projectId}::uuid, * from ${unnestNodes(chunk)}
          on conflict (project_id, node_no) do update set path = excluded.path, symbol = excluded.symbol,
            parent_no = excluded.parent_no, live = excluded.live, blob_id = excluded.blob_id,
            symbol_kind = excluded.symbol_kind, body_hash = excluded.body_hash, masked_hash = excluded.masked_hash,
            removed_commit = excluded.removed_commit, removed_step = excluded.removed_step`.execute(db);
        await onSaved(chunk.length);
      });
    },

    async saveEdges(changed: readonly [number, Buffer][], removed: readonly number[]): Promise<void> {
      if (removed.length > 0)
        await sql`delete from code_edges
          where project_id = ${projectId} and file_no = any(${removed}::int[])`.execute(db);
      for (const chunk of chunksOf(changed)) {
        await sql`
          insert into code_edges (project_id, file_no, packed)
          select ${projectId}::uuid, * from unnest(${chunk.map(([no]) => no)}::int[], ${chunk.map(([, packed]) => packed)}::bytea[])
          on conflict (project_id, file_no) do update set packed = excluded.packed`.execute(db);
      }
    },

    async saveFacts(made: Iterable<[key: string, facts: string]>): Promise<void> {
      for (const chunk of chunksOf([...made], 500)) {
        const listOf = (part: 0 | 1) => chunk.map((fact) => fact[part]).join(BETWEEN);
        await sql`
          insert into code_facts (project_id, extractor, fact_key, facts)
          select p.project_id, ${EXTRACTOR_VERSION}::int, made.*
          from (select project_id from projects where project_id = ${projectId} for key share) p,
            unnest(string_to_array(${listOf(0)}, ${BETWEEN}), string_to_array(${listOf(1)}, ${BETWEEN})) made
          on conflict (project_id, fact_key) do update
          set facts = excluded.facts, extractor = excluded.extractor`.execute(db);
      }
    },

    async deleteFacts(keys: readonly string[]): Promise<void> {
      if (keys.length > 0)
        await sql`delete from code_facts
          where project_id = ${projectId} and fact_key = any(${keys}::text[])`.execute(db);
    },
  };
}

const NODE_COLUMNS =
  sql.raw(`project_id, node_no, node_id, kind, path, symbol, parent_no, live, blob_id, symbol_kind, body_hash,
  masked_hash, removed_commit, removed_step`);

function unnestNodes(nodes: readonly CodeNode[]) {
  const column = (name: keyof CodeNode) => nodes.map((node) => node[name]);
  // Joined text is read twice as fast as an array; paths and names may contain the separator.
  const joined = (name: keyof CodeNode) =>
    sql`string_to_array(${nodes.map((node) => node[name] ?? '').join(BETWEEN)}, ${BETWEEN}, '')`;
  return sql`unnest(${joined('no')}::int[], ${joined('id')}::uuid[], ${joined('kind')},
      ${column('path')}::text[], ${column('symbol')}::text[], ${joined('parent')}::int[], ${joined('live')}::boolean[],
      ${joined('blob')}, ${joined('symbolKind')}, ${joined('body')}, ${joined('masked')},
      ${joined('removedCommit')}, ${joined('removedStep')}::bigint[])`;
}

function* chunksOf<T>(items: readonly T[], size = CHUNK): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** Prepares the next batch while the database stores the previous one. */
async function oneAhead<T>(chunks: Iterable<T>, save: (chunk: T) => Promise<void>): Promise<void> {
  let before: Promise<void> | undefined;
  for (const chunk of chunks) {
    const saving = save(chunk);
    // Nothing may run after the end of the transaction, so a failure waits for the statement in flight.
    const isOver = saving.catch(() => {});
    await before?.catch(async (error: unknown) => {
      await isOver;
      throw error;
    });
    before = saving;
  }
  await before;
}

export async function loadGraph(db: Db, projectId: string): Promise<CodeGraph> {
  const [nodes, edges] = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => [
      await sql<GraphNode>`
        select node_no as no, node_id as id, kind, path, parent_no as parent
        from code_nodes where project_id = ${projectId} and live order by path, kind`.execute(tx),
      await sql<{ packed: Buffer }>`
        select packed from code_edges where project_id = ${projectId} order by file_no`.execute(tx),
    ]);
  return CodeGraph.make(
    nodes.rows as GraphNode[],
    (edges.rows as { packed: Buffer }[]).map((row) => row.packed),
  );
}
