-- Who outside is told what happens, what they are told, and what came of it.

create table webhooks (
  webhook_id uuid constraint webhooks_pkey primary key,
  brand_id integer not null constraint webhooks_brand references brands (brand_id) on delete cascade,
  url text not null,
  events text[] not null,
  description text,
  enabled boolean not null,
  -- Why the service itself turned it off.
  disabled_reason text,
  -- Sealed: the database alone does not give it away.
  secret text not null,
  -- Secrets that sign beside it for a while: [{"sealed": …, "until": …}], the newest first.
  past_secrets jsonb not null default '[]',
  -- The first failure after the last success.
  failing_since timestamptz,
  -- It was turned off, and the admins are to be told: when a node may do so.
  notice_due_at timestamptz,
  created_at timestamptz not null,
  constraint webhooks_disabled check (not (enabled and (disabled_reason is not null or notice_due_at is not null)))
);

create index webhooks_of_brand on webhooks (brand_id, created_at, webhook_id);
create index webhooks_failing on webhooks (failing_since) where failing_since is not null and enabled;
create index webhooks_notice on webhooks (notice_due_at) where notice_due_at is not null;

-- A message is written in the transaction of what it tells, and only if somebody listens.
create table webhook_messages (
  event_id uuid constraint webhook_messages_pkey primary key,
  brand_id integer not null constraint webhook_messages_brand references brands (brand_id) on delete cascade,
  type text not null,
  -- The very bytes that are signed and sent.
  body text not null,
  created_at timestamptz not null
);

create index webhook_messages_created on webhook_messages (created_at);
create index webhook_messages_by_brand on webhook_messages (brand_id);

create table webhook_deliveries (
  delivery_id uuid constraint webhook_deliveries_pkey primary key,
  webhook_id uuid not null constraint webhook_deliveries_webhook references webhooks (webhook_id) on delete cascade,
  event_id uuid not null constraint webhook_deliveries_message references webhook_messages (event_id) on delete cascade,
  status text not null constraint webhook_deliveries_status check (status in ('pending', 'delivered', 'failed')),
  attempts jsonb not null default '[]',
  -- Failures since it was last asked for: the place in the schedule.
  failures smallint not null default 0,
  next_attempt_at timestamptz,
  -- When a node may take it: the next attempt, or the end of the claim of the node that has it in hand.
  due_at timestamptz,
  created_at timestamptz not null,
  constraint webhook_deliveries_due check ((status = 'pending') = (due_at is not null) and (status = 'pending') = (next_attempt_at is not null))
);

create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, due_at) where due_at is not null;
create index webhook_deliveries_listed on webhook_deliveries (webhook_id, created_at, delivery_id);
create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, created_at, delivery_id);
create index webhook_deliveries_of_message on webhook_deliveries (event_id);
