-- What an operator brings into being, and the record of who did what.

create table agents (
  agent_id text primary key,
  name text not null,
  -- Null: an agent of the platform, which no workspace owns.
  brand_id integer references brands on delete cascade,
  created_at timestamptz not null
);
create index agents_by_brand on agents (brand_id, agent_id);

create table installed_packages (
  package_id uuid primary key,
  brand_id integer not null references brands on delete cascade,
  name text not null,
  version text not null,
  enabled boolean not null default true,
  installed_at timestamptz not null,
  constraint installed_packages_name_unique unique (brand_id, name)
);

create table feed_sources (
  feed_source_id uuid primary key,
  brand_id integer not null references brands on delete cascade,
  name text not null,
  url text not null,
  created_at timestamptz not null
);
create index feed_sources_by_brand on feed_sources (brand_id);

create table catalog_profiles (
  profile_id uuid primary key,
  name text not null,
  description text not null default '',
  published boolean not null default true,
  builder boolean not null default false,
  -- Null: no deployable template yet.
  template jsonb,
  repository jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index catalog_profiles_published on catalog_profiles (name, profile_id) where published;

create table audit_log (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null,
  brand_id integer references brands on delete set null,
  actor_kind text not null,
  actor_user_id integer,
  actor_token_id uuid,
  action text not null,
  subject text not null,
  details jsonb not null default '{}',
  request_id text
);
create index audit_log_by_brand on audit_log (brand_id, audit_id desc);

-- Secrets that every node shares: the key that signs cursors.
create table server_secrets (
  name text primary key,
  value text not null
);

-- The moved clock of a test server, so that restarts and other nodes follow it.
create table test_clock (
  only_row boolean primary key default true constraint test_clock_single_row check (only_row),
  offset_ms double precision not null,
  frozen_at timestamptz
);
