-- Each node counts here, on the primary; how far a replica has followed shows how old what it holds can be.
create table replica_beats (
  node_id uuid constraint replica_beats_pkey primary key,
  beat bigint not null,
  beaten_at timestamptz not null
);
