-- What a person should know of: written in the transaction of what it tells.
create table inbox_items (
  item_id uuid constraint inbox_items_pkey primary key,
  brand_id integer not null constraint inbox_items_brand references brands (brand_id) on delete cascade,
  user_id integer not null constraint inbox_items_user references users (user_id) on delete cascade,
  kind text not null constraint inbox_items_kind
    check (kind in ('assigned', 'mentioned', 'commented', 'build_failed', 'review_asked')),
  board_id uuid not null,
  task_id uuid not null constraint inbox_items_card references cards (card_id) on delete cascade,
  build_id uuid,
  -- Who did it; null: the service itself.
  actor_user_id integer constraint inbox_items_actor references users (user_id) on delete set null,
  excerpt text,
  created_at timestamptz not null,
  read_at timestamptz,
  done_at timestamptz
);
create index inbox_items_of_person on inbox_items (brand_id, user_id, created_at desc, item_id);
create index inbox_items_open on inbox_items (brand_id, user_id, created_at desc, item_id) where done_at is null;
create index inbox_items_by_user on inbox_items (user_id, item_id);
create index inbox_items_by_card on inbox_items (task_id);
create index inbox_items_by_actor on inbox_items (actor_user_id) where actor_user_id is not null;
create index inbox_items_created on inbox_items (created_at);
-- A build is told of once, whoever ends it and however often.
create unique index inbox_items_once_a_build on inbox_items (build_id, user_id, kind) where build_id is not null;
