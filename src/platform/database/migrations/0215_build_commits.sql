-- What coders bring back, what they may do while they work, and the way of their commits into the repository.

-- Commits as they came, in pieces: a node that has not seen them, or has lost its mirror, makes them again from here.
create table build_bundles (
  build_id uuid not null constraint build_bundles_build_id_fkey references builds on delete cascade,
  part integer not null,
  bytes bytea not null,
  primary key (build_id, part)
);
-- Packed already.
alter table build_bundles alter column bytes set storage external;

-- The coder's own token. It is told again when a start is repeated, so it is kept sealed beside its hash.
create table build_tokens (
  build_id uuid primary key constraint build_tokens_build_id_fkey references builds on delete cascade,
  token_hash text not null constraint build_tokens_hash_unique unique,
  sealed text not null,
  -- The agent that the card was assigned to when the work began.
  agent_id text,
  created_at timestamptz not null
);

-- A push that failed for a reason that may pass is tried again; null: there is nothing to do.
alter table builds add column push_attempts integer not null default 0;
alter table builds add column push_next_at timestamptz;
drop index builds_to_push;
create index builds_to_push on builds (push_next_at) where push_next_at is not null;
