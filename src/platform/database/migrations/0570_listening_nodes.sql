-- Nodes that hear of changes: who ends a credential waits until each of them has. A crash ends every connection, so nothing of it has to last.
create unlogged table listening_nodes (
  node_id uuid constraint listening_nodes_pkey primary key,
  beat bigint not null
);
