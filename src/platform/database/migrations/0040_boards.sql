-- Boards, their columns and cards, the feed of what happened on them, and the counts that lists answer.

create table boards (
  board_id uuid primary key,
  brand_id integer not null references brands on delete cascade,
  name text not null,
  key text not null,
  board_type text not null constraint boards_type_known check (board_type in ('build', 'crm', 'general')),
  -- The last number and feed entry given out; both are taken under a lock on this row, so neither has gaps.
  last_number integer not null default 0,
  last_sequence bigint not null default 0,
  last_activity_at timestamptz not null,
  -- Grows with every change of the columns: whoever read them can tell whether they still stand.
  layout integer not null default 1,
  created_by integer references users on delete set null,
  created_at timestamptz not null,
  constraint boards_key_unique unique (brand_id, key)
);
create index boards_by_brand on boards (brand_id, created_at, board_id);

create table board_columns (
  column_id uuid primary key,
  board_id uuid not null references boards on delete cascade,
  position integer not null,
  name text not null,
  -- The name as it is matched: trimmed and in lower case.
  name_key text not null,
  status text not null constraint board_columns_status_known
    check (status in ('pending', 'in_progress', 'in_review', 'blocked', 'done', 'canceled')),
  constraint board_columns_name_unique unique (board_id, name_key) deferrable initially deferred
);
create index board_columns_by_board on board_columns (board_id, position);

create table cards (
  card_id uuid primary key,
  board_id uuid not null references boards on delete cascade,
  brand_id integer not null references brands on delete cascade,
  number integer not null,
  column_id uuid not null constraint cards_column_exists references board_columns,
  project_id uuid,
  title text not null,
  task_type text not null,
  status text not null,
  position double precision not null,
  priority text not null,
  labels text[] not null,
  assignee_user_id integer references users on delete set null,
  assignee_agent_id text,
  reporter_user_id integer references users on delete set null,
  watcher_user_ids integer[] not null,
  parent_id uuid references cards on delete set null,
  description_excerpt text,
  due_at timestamptz,
  start_at timestamptz,
  estimate_points double precision,
  estimate_minutes integer,
  time_spent_minutes integer not null,
  agent_context jsonb not null,
  environment_id uuid,
  runtime text,
  hire_id uuid,
  attempt integer not null,
  max_attempts integer not null,
  queued_at timestamptz,
  claimed_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  last_heartbeat_at timestamptz,
  progress_percent double precision,
  branch text,
  base_branch text,
  commit_sha text,
  pr_number integer,
  pr_url text,
  pr_state text,
  checks_state text,
  review_state text,
  merged_at timestamptz,
  deploy_url text,
  cost_usd double precision not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  error_code text,
  error_message text,
  comment_count integer not null,
  attachment_count integer not null,
  checklist_done integer not null,
  checklist_total integer not null,
  source text,
  external_url text,
  archived boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  constraint cards_number_unique unique (board_id, number)
);
create index cards_in_column on cards (column_id, position, card_id);
create index cards_by_change on cards (brand_id, updated_at desc, card_id);
create index cards_in_column_by_change on cards (column_id, updated_at desc, card_id);
create index cards_by_parent on cards (parent_id) where parent_id is not null;
create index cards_finished_by_agent on cards (brand_id, assignee_agent_id, updated_at, card_id)
  where status = 'done' and assignee_agent_id is not null;

-- Apart from the cards, so that no list ever walks past a long text.
create table card_bodies (
  card_id uuid primary key references cards on delete cascade,
  instructions text,
  result text,
  -- What both take up in a rendered export, so that its size is known without reading them.
  export_bytes integer not null
);

create table card_blockers (
  card_id uuid not null references cards on delete cascade,
  blocker_id uuid not null references cards on delete cascade,
  primary key (card_id, blocker_id)
);
create index card_blockers_by_blocker on card_blockers (blocker_id);

create table card_comments (
  comment_id uuid primary key,
  card_id uuid not null references cards on delete cascade,
  author_user_id integer references users on delete set null,
  body text not null,
  created_at timestamptz not null
);
create index card_comments_by_card on card_comments (card_id, created_at, comment_id);

-- One entry a write, numbered without gaps within a board in the order of commits. It outlives the card it tells of.
create table board_activity (
  board_id uuid not null references boards on delete cascade,
  sequence bigint not null,
  id uuid not null,
  action text not null,
  created_at timestamptz not null,
  task_id uuid,
  ref text,
  card_version integer,
  actor_user_id integer references users on delete set null,
  changes jsonb not null,
  primary key (board_id, sequence)
);
create index board_activity_by_card on board_activity (task_id, sequence) where task_id is not null;

-- A UUID version 7 whose text sorts by time and then by sequence: entries of one moment keep their order also for a
-- reader who sorts by creation time and id.
create function activity_id(at timestamptz, sequence bigint) returns uuid language sql volatile as $$
  select (
    lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0')
    || '7' || lpad(to_hex((sequence >> 28) & 4095), 3, '0')
    || to_hex(2147483648 + (sequence & 268435455))
    || lpad(to_hex(floor(random() * 4294967296)::bigint), 8, '0')
  )::uuid
$$;

-- How many cards there are of each sort. Totals are sums over these few rows, however large a board is.
create table card_tallies (
  board_id uuid not null references boards on delete cascade,
  column_id uuid not null references board_columns on delete cascade,
  status text not null,
  has_pr boolean not null,
  cards integer not null,
  primary key (board_id, column_id, status, has_pr)
);

create function tally_added_cards() returns trigger language plpgsql as $$
begin
  insert into card_tallies (board_id, column_id, status, has_pr, cards)
  select board_id, column_id, status, pr_number is not null, count(*) from added
  group by 1, 2, 3, 4
  on conflict (board_id, column_id, status, has_pr) do update set cards = card_tallies.cards + excluded.cards;
  return null;
end $$;

create function tally_removed_cards() returns trigger language plpgsql as $$
begin
  update card_tallies t set cards = t.cards - r.cards
  from (
    select board_id, column_id, status, pr_number is not null as has_pr, count(*) as cards from removed
    group by 1, 2, 3, 4
  ) r
  where (t.board_id, t.column_id, t.status, t.has_pr) = (r.board_id, r.column_id, r.status, r.has_pr);
  return null;
end $$;

create function tally_changed_card() returns trigger language plpgsql as $$
begin
  update card_tallies set cards = cards - 1
  where board_id = old.board_id and column_id = old.column_id and status = old.status
    and has_pr = (old.pr_number is not null);
  insert into card_tallies (board_id, column_id, status, has_pr, cards)
  values (new.board_id, new.column_id, new.status, new.pr_number is not null, 1)
  on conflict (board_id, column_id, status, has_pr) do update set cards = card_tallies.cards + 1;
  return null;
end $$;

create trigger cards_added after insert on cards
  referencing new table as added for each statement execute function tally_added_cards();
create trigger cards_removed after delete on cards
  referencing old table as removed for each statement execute function tally_removed_cards();
create trigger cards_changed after update on cards
  for each row when (
    old.column_id is distinct from new.column_id
    or old.status is distinct from new.status
    or (old.pr_number is null) is distinct from (new.pr_number is null)
  ) execute function tally_changed_card();
