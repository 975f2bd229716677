import type pg from 'pg';

/** How often each node has made sure that it still hears. */
export type NodeBeats = Record<string, number>;

/** A channel of the node's own: what it is answered concerns nobody else. */
export const channelOf = (node: string): string => `guildhall_echo_${node.replaceAll('-', '')}`;

/** A node is waited for from its first beat on; it trusts what it knows only for a while after one that was answered. */
export const beatAndAnswer = (node: string, answer: string): pg.QueryConfig => ({
  text: `with beaten as (
      insert into listening_nodes (node_id, beat) values ($1, 1)
      on conflict (node_id) do update set beat = listening_nodes.beat + 1)
    select pg_notify($2, $3)`,
  values: [node, channelOf(node), answer],
});

/** Asks all nodes, and answers who they are. */
export const callRoll = (channel: string, message: string): pg.QueryConfig => ({
  text: `select pg_notify($1, $2),
    (select coalesce(json_object_agg(node_id, beat), '{}') from listening_nodes) as nodes`,
  values: [channel, message],
});

export const answerCall = (node: string, answer: string): pg.QueryConfig => ({
  text: 'select pg_notify($1, $2)',
  values: [channelOf(node), answer],
});

export const removeNode = (node: string): pg.QueryConfig => ({
  text: 'delete from listening_nodes where node_id = $1',
  values: [node],
});

/** Those that have not beaten since. */
export const removeSilent = (nodes: [node: string, beat: number][]): pg.QueryConfig => ({
  text: `delete from listening_nodes n using unnest($1::uuid[], $2::bigint[]) as s (node_id, beat)
    where n.node_id = s.node_id and n.beat = s.beat`,
  values: [nodes.map(([node]) => node), nodes.map(([, beat]) => beat)],
});
