-- Desks: what was ordered, what they reported, what checks of them found. States that can be derived are not here.

create table desks (
  desk_id uuid primary key,
  brand_id integer not null references brands on delete cascade,
  short_id text not null,
  name text not null,
  runtime text not null constraint desks_runtime_known check (runtime in ('claude_code', 'codex', 'custom')),
  region text,
  description text,
  vps_provider text,
  workspace_path text not null,
  -- The repository a hired builder works on.
  repository jsonb,
  image_key text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  token_hash text not null constraint desks_token_unique unique,
  status text not null constraint desks_status_known check (status in ('provisioned', 'active', 'unreachable', 'suspended')),

  -- What the installer said.
  hello_at timestamptz,
  hostname text,
  installation_id text,
  installer_step text,
  installer_exit_code integer,
  installer_message text,
  mesh_registered_at timestamptz,
  mesh_public_key text constraint desks_mesh_key_unique unique,
  mesh_address inet constraint desks_mesh_address_unique unique,
  sidecar_url text,
  sidecar_registered_at timestamptz,

  -- What health checks found.
  check_epoch integer not null default 0,
  checked_at timestamptz,
  misses smallint not null default 0,
  missed_probes jsonb not null default '[]',
  misrouted boolean not null default false,
  first_answered_at timestamptz,
  resumed_at timestamptz,
  last_contact_at timestamptz,
  sidecar_version text,
  sidecar_code_digest text,
  last_upgrade_at timestamptz,
  building boolean not null default false,
  pending_sync_count integer not null default 0,
  credentials jsonb not null default '[]',
  -- The moment within the polling interval when this desk is checked: spread at random, and never written again.
  poll_slot smallint not null constraint desks_poll_slot_range check (poll_slot between 0 and 9999),

  -- One installation stands for one desk of a workspace, also when two installers run at once.
  constraint desks_one_per_installation unique (brand_id, installation_id)
);
create index desks_by_brand on desks (brand_id, created_at, desk_id);
create index desks_by_installation on desks (installation_id) where installation_id is not null;
create index desks_by_poll_slot on desks (poll_slot) where sidecar_url is not null and status <> 'suspended';

create table desk_events (
  event_id bigint generated always as identity primary key,
  desk_id uuid not null references desks on delete cascade,
  at timestamptz not null,
  kind text not null,
  from_status text,
  to_status text,
  reason text,
  probes jsonb not null default '[]'
);
create index desk_events_by_desk on desk_events (desk_id, event_id desc);

create table machine_updates (
  update_id uuid primary key,
  desk_id uuid not null references desks on delete cascade,
  brand_id integer not null references brands on delete cascade,
  status text not null constraint machine_updates_status_known check (status in ('queued', 'running', 'done', 'failed')),
  requested_by integer not null,
  requested_by_name text not null,
  requested_at timestamptz not null,
  wait_for_idle boolean not null default true,
  error text,
  started_at timestamptz,
  finished_at timestamptz,
  from_version text,
  from_code_digest text,
  to_version text,
  to_code_digest text
);
create unique index machine_updates_one_queued on machine_updates (desk_id) where status = 'queued';
create index machine_updates_by_desk on machine_updates (desk_id, requested_at desc, update_id desc);
create index machine_updates_open on machine_updates (requested_at, update_id) where status in ('queued', 'running');

-- The nodes that check desks at present; they divide the fleet among themselves.
create table desk_poll_nodes (
  node_id text primary key,
  seen_at timestamptz not null
);
