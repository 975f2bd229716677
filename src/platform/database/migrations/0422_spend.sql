-- The ledger: what was spent, entry by entry, in the transaction that wrote it on the build. Nothing in it is ever changed.

create table spend_entries (
  entry_id bigint generated always as identity constraint spend_entries_pkey primary key,
  brand_id integer not null constraint spend_entries_brand_id_fkey references brands on delete cascade,
  -- An entry outlives the card, the project and the agent it is about, as its build does.
  build_id uuid not null,
  at timestamptz not null,
  -- Of the workspace, as it called it then.
  day text not null,
  project_id uuid not null,
  task_id uuid not null,
  agent_id text,
  coder text not null,
  profile text,
  tokens_in bigint not null,
  tokens_out bigint not null,
  cost_micros bigint not null
);
create index spend_entries_by_build on spend_entries (build_id);
create index spend_entries_by_brand on spend_entries (brand_id, entry_id);

create function refuse_change_of_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'The ledger is only added to';
end $$;
create trigger spend_entries_stay before update on spend_entries for each row execute function refuse_change_of_ledger();

-- The same summed up, by what a budget or a report asks for: a request reads and locks these and adds up no past.
create table spend_tallies (
  brand_id integer not null constraint spend_tallies_brand_id_fkey references brands on delete cascade,
  -- workspace, project, agent, card, coder, profile
  scope text not null,
  -- Empty for the workspace, and for what has no agent or no profile.
  subject text not null,
  -- A day (2026-11-16), a month (2026-11), or all of it (empty).
  period text not null,
  -- Each build once, with its first entry.
  builds bigint not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  spent_micros bigint not null default 0,
  -- What open builds may spend yet.
  reserved_micros bigint not null default 0,
  -- Of which per cent of the budget people were told.
  told integer not null default 0,
  constraint spend_tallies_pkey primary key (brand_id, scope, subject, period)
) with (fillfactor = 70);
create index spend_tallies_by_period on spend_tallies (brand_id, scope, period);

-- What a build may spend, and for whom.
create table build_money (
  build_id uuid constraint build_money_pkey primary key,
  brand_id integer not null constraint build_money_brand_id_fkey references brands on delete cascade,
  agent_id text,
  -- Never more than this; null where only budgets bound it.
  ceiling_micros bigint,
  -- What was set aside for it in all.
  reserved_micros bigint not null default 0,
  -- Its cost was worked out from tokens and prices: what the coder says at the end is better.
  priced boolean not null default false
);
create index build_money_by_brand on build_money (brand_id);

-- Where the rest of that is set aside.
create table budget_holds (
  build_id uuid not null,
  brand_id integer not null constraint budget_holds_brand_id_fkey references brands on delete cascade,
  scope text not null,
  subject text not null,
  period text not null,
  micros bigint not null,
  constraint budget_holds_pkey primary key (build_id, scope, subject, period)
);
create index budget_holds_by_brand on budget_holds (brand_id);
