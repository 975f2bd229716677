-- Between the word of the coder and the end of a build stand the checks: from `checking_at` until there is an outcome it is `checking`.
alter table builds add column checking_at timestamptz;

-- The run of the checks of a build: what was claimed, begun and heard of last. One that never ended is begun anew, under a new claim.
create table build_check_runs (
  build_id uuid constraint build_check_runs_pkey primary key
    constraint build_check_runs_build_id_fkey references builds on delete cascade,
  brand_id integer not null constraint build_check_runs_brand_id_fkey references brands on delete cascade,
  -- What is checked: what the build brought, or what it went on from where it brought nothing.
  head_sha text not null,
  setup jsonb,
  required boolean not null,
  -- As long as everything may take together.
  minutes integer not null,
  began_at timestamptz not null,
  -- How often it was started.
  runs integer not null default 0,
  claim_hash text,
  desk_id uuid,
  claimed_at timestamptz,
  started_at timestamptz,
  heard_at timestamptz,
  -- Of the body with which the desk finished it: sent again, it is answered again.
  finish_digest text,
  -- {exit_code, seconds, log_tail}
  setup_result jsonb,
  ended_at timestamptz
);
create index build_check_runs_by_brand on build_check_runs (brand_id);
create index build_check_runs_open on build_check_runs (brand_id, began_at, build_id) where ended_at is null;

create table build_checks (
  build_id uuid not null constraint build_checks_build_id_fkey references build_check_runs on delete cascade,
  position integer not null,
  name text not null,
  command text not null,
  minutes integer not null,
  status text not null constraint build_checks_status_known
    check (status in ('pending', 'running', 'passed', 'failed', 'timed_out', 'skipped')),
  exit_code integer,
  seconds double precision,
  -- As the log of a build.
  log_seq integer not null default 0,
  log_bytes integer not null default 0,
  log_head_seq integer not null default 0,
  log_head_bytes integer not null default 0,
  log_gap_until integer not null default 0,
  log_gap_bytes bigint not null default 0,
  constraint build_checks_pkey primary key (build_id, position),
  constraint build_checks_name_unique unique (build_id, name)
);

create table build_check_log_chunks (
  build_id uuid not null,
  position integer not null,
  seq integer not null,
  at timestamptz not null,
  bytes integer not null,
  body text not null,
  constraint build_check_log_chunks_pkey primary key (build_id, position, seq),
  constraint build_check_log_chunks_check_fkey foreign key (build_id, position) references build_checks on delete cascade
);
