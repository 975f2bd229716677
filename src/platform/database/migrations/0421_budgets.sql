-- What a workspace, one of its projects or one of its agents may spend. Money is kept in millionths of a dollar: whole numbers add up.

create table budgets (
  brand_id integer not null constraint budgets_brand_id_fkey references brands on delete cascade,
  scope text not null constraint budgets_scope_known check (scope in ('workspace', 'project', 'agent')),
  -- The project or the agent; empty for the workspace itself.
  subject text not null,
  -- Of the workspace only: what one build, and all builds of one card, may spend.
  build_micros bigint,
  card_micros bigint,
  day_micros bigint,
  month_micros bigint,
  updated_at timestamptz not null,
  constraint budgets_pkey primary key (brand_id, scope, subject)
);
