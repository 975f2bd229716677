import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import { CodeGraph, type GraphNode } from './code-graph.js';

/** The live graph of a project, nodes and edges as of one moment. */
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
