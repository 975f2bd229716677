-- Builds: one attempt of one coder at one card. Facts only: whether a claim is dead, a build silent or lost follows from them and the clock.

create table builds (
  build_id uuid primary key,
  brand_id integer not null constraint builds_brand_id_fkey references brands on delete cascade,
  -- An attempt outlives the card, the project and the desk it is about: what was spent stays on record.
  task_id uuid not null,
  ref text not null,
  project_id uuid not null,
  attempt integer not null,
  coder text not null,
  profile text,
  -- What the profile said when the build was asked for; null without one.
  settings jsonb,
  wall_minutes double precision not null,
  wanted_workstation_id uuid,
  branch text not null,
  base_branch text not null,
  base_sha text not null,
  continues uuid,
  note text,
  -- Of the review that asked for this attempt: [{path, line, body}].
  review_comments jsonb not null default '[]',
  created_by integer constraint builds_created_by_fkey references users on delete set null,
  queued_at timestamptz not null,

  -- The claim is a secret of the desk; only its SHA-256 is kept.
  claim_hash text,
  workstation_id uuid,
  claimed_at timestamptz,
  started_at timestamptz,
  heard_at timestamptz,
  cancel_requested_at timestamptz,
  brief_digest text,

  finished_at timestamptz,
  outcome text constraint builds_outcome_known
    check (outcome in ('succeeded', 'failed', 'canceled', 'timed_out', 'lost')),
  lost_at timestamptz,
  -- Of the body with which the desk finished it: sent again, it is answered again.
  finish_digest text,
  reason text,
  result text,
  confirmed boolean not null default false,
  tokens_in bigint,
  tokens_out bigint,
  cost_usd double precision,

  head_sha text,
  -- {files, insertions, deletions}
  diff jsonb,

  accepted_at timestamptz,
  accepted_by integer constraint builds_accepted_by_fkey references users on delete set null,
  pushed_at timestamptz,
  push_error text,

  -- The last piece of the log that came, what is kept of it, and which pieces in the middle had to go.
  log_seq integer not null default 0,
  log_bytes integer not null default 0,
  log_head_seq integer not null default 0,
  log_head_bytes integer not null default 0,
  log_gap_until integer not null default 0,
  log_gap_bytes bigint not null default 0,

  constraint builds_attempt_unique unique (task_id, attempt),
  constraint builds_finished_with_outcome check ((finished_at is null) = (outcome is null))
);
create unique index builds_one_open on builds (task_id) where finished_at is null;
create index builds_by_brand on builds (brand_id, queued_at desc, build_id desc);
create index builds_by_task on builds (brand_id, task_id, queued_at desc, build_id desc);
create index builds_by_desk on builds (brand_id, workstation_id, queued_at desc, build_id desc)
  where workstation_id is not null;
-- Open builds are few: what waits in a workspace, what runs on a desk, and what the passes look for.
create index builds_open on builds (brand_id, queued_at, build_id) where finished_at is null;
create index builds_open_on_desk on builds (workstation_id) where finished_at is null and workstation_id is not null;
create index builds_open_by_age on builds (queued_at) where finished_at is null;
create index builds_to_push on builds (accepted_at) where accepted_at is not null and pushed_at is null and push_error is null;

-- What the coder printed, in the pieces in which it came.
create table build_log_chunks (
  build_id uuid not null constraint build_log_chunks_build_id_fkey references builds on delete cascade,
  seq integer not null,
  at timestamptz not null,
  -- Apart from the text, so that what is kept can be summed without reading it.
  bytes integer not null,
  body text not null,
  primary key (build_id, seq)
);

-- What the coder was given, byte for byte.
create table build_briefs (
  build_id uuid primary key constraint build_briefs_build_id_fkey references builds on delete cascade,
  body text not null
);

create table build_policies (
  brand_id integer primary key constraint build_policies_brand_id_fkey references brands on delete cascade,
  enabled boolean not null,
  max_open integer,
  max_per_day integer,
  max_minutes integer,
  updated_at timestamptz not null
);

-- When a desk last asked for work and with how many free places, and until when its provider takes no more.
create table build_desks (
  desk_id uuid primary key,
  brand_id integer not null constraint build_desks_brand_id_fkey references brands on delete cascade,
  asked_at timestamptz,
  free_slots integer not null default 0,
  coders text[] not null default '{}',
  held_until timestamptz
);
create index build_desks_by_brand on build_desks (brand_id);
