-- Catalog employees at work in a workspace, and the package installs they hold.

create table hires (
  hire_id uuid primary key,
  brand_id integer not null references brands on delete cascade,
  profile_id uuid not null references catalog_profiles,
  status text not null constraint hires_status_known check (status in ('provisioning', 'active', 'canceled')),
  -- The employee as it was hired: what changes in the catalog later changes nobody who is already here.
  employee_name text not null,
  builder boolean not null,
  template jsonb not null,
  repository jsonb,
  -- Settled at the hire, so that every attempt to build it makes the same agent.
  agent_id text not null constraint hires_agent_unique unique,
  workstation_id uuid,
  comp_reason text,
  hired_by integer references users on delete set null,
  -- Whose grants it counts among; null for a hire of the workspace's own.
  granted_by text,
  created_at timestamptz not null,

  built_at timestamptz,
  attempts integer not null default 0,
  failed_step text,
  error text,

  cancel_at_period_end boolean not null default false,
  -- Null while the hire runs: its period renews itself and the end follows from created_at.
  last_period_end timestamptz,
  effective_at timestamptz,
  disabled_at timestamptz,
  workspace_removed_at timestamptz,

  constraint hires_canceled_has_end check ((status = 'canceled') = (effective_at is not null and last_period_end is not null)),
  constraint hires_active_is_built check (status <> 'active' or built_at is not null),
  constraint hires_disabled_is_canceled check (disabled_at is null or status = 'canceled')
);
create unique index hires_one_live on hires (brand_id, profile_id) where status in ('provisioning', 'active');
create index hires_by_brand on hires (brand_id, created_at desc, hire_id desc);
create index hires_by_granter on hires (granted_by, created_at desc) where granted_by is not null;
create index hires_to_build on hires (hire_id) where status = 'provisioning';
create index hires_to_disable on hires (effective_at) where status = 'canceled' and disabled_at is null;
create index hires_to_clear on hires (hire_id) where disabled_at is not null and workspace_removed_at is null;

-- True for an install that exists only because a hire needed it; the workspace's own installs outlive every hire.
alter table installed_packages add column brought_by_hire boolean not null default false;

-- One row for each hire that needs an install. The last row to go turns the install off.
create table hire_packages (
  hire_id uuid not null references hires on delete cascade,
  brand_id integer not null,
  package_name text not null,
  primary key (hire_id, package_name),
  constraint hire_packages_install foreign key (brand_id, package_name)
    references installed_packages (brand_id, name) on delete cascade
);
create index hire_packages_by_install on hire_packages (brand_id, package_name);
