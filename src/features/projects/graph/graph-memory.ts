import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../../database/database.js';
import { CodeGraph, type GraphNode } from './code-graph.js';

interface Remembered {
  version: number;
  graph: CodeGraph;
}

const MOST_REMEMBERED = 3_000_000;

/** Graphs by project, each for the index version it was read at. */
export class GraphMemory {
  readonly #graphs = new LRUCache<string, Remembered>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: ({ graph }) => graph.size + 1,
  });
  readonly #loading = new Map<string, Promise<CodeGraph>>();

  constructor(readonly db: Db) {}

  async get(projectId: string, version: number): Promise<CodeGraph> {
    const known = this.#graphs.get(projectId);
    if (known?.version === version) return known.graph;
    const key = `${projectId} ${version}`;
    let loading = this.#loading.get(key);
    if (!loading) {
      loading = this.#load(projectId).finally(() => this.#loading.delete(key));
      this.#loading.set(key, loading);
      loading.then(
        (graph) => this.#graphs.set(projectId, { version, graph }),
        () => {},
      );
    }
    return loading;
  }

  async #load(projectId: string): Promise<CodeGraph> {
    const [nodes, edges] = await this.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => [
        await sql<GraphNode>`
          select node_no as no, node_id as id, kind, path, parent_no as parent
          from code_nodes where project_id = ${projectId} and live order by path, kind`.execute(tx),
        await sql<{ packed: Buffer }>`
          select packed from code_edges where project_id = ${projectId} order by file_no`.execute(tx),
      ]);
    return new CodeGraph(
      nodes.rows as GraphNode[],
      (edges.rows as { packed: Buffer }[]).map((row) => row.packed),
    );
  }
}
