-- How many cards of a board have an owner, an agent, a priority, a label, a day by which they are due, or lie in the
-- archive. Totals and counts over all cards of a workspace are sums over these rows, however many cards there are.
-- What a card has nothing of is not kept: it is what is left of all cards.

-- allowed: whoever writes cards waits for as long as it takes to read them once; a card that is written between the count and the
-- triggers would be counted wrong for ever
lock table cards in share row exclusive mode;

create table card_facets (
  brand_id integer not null,
  facet text not null,
  value text not null,
  board_id uuid not null references boards on delete cascade,
  cards integer not null,
  primary key (brand_id, facet, value, board_id)
);
create index card_facets_of_board on card_facets (board_id, facet, value);

-- Sorts as days do, also in the first years of the calendar.
create function due_day(due timestamptz) returns text language sql immutable parallel safe as $$
  select lpad(((due at time zone 'UTC')::date - date '0001-01-01 BC')::text, 8, '0')
$$;

create function priority_rank(priority text) returns smallint language sql immutable parallel safe as $$
  select coalesce(array_position('{urgent,high,normal,low}'::text[], priority), 5)::smallint
$$;

create function facets_of_card(
  person integer, agent text, priority text, labels text[], due timestamptz, archived boolean, status text
) returns table (facet text, value text) language sql immutable parallel safe as $$
  select 'owner', coalesce(person::text, 'agent:' || agent) where person is not null or agent is not null
  union all select 'agent', agent where agent is not null
  union all select 'priority', priority
  union all select 'label', label from unnest(labels) label group by label
  union all select 'due', due_day(due) where due is not null
  union all select 'archived', status where archived
$$;

create or replace function tally_added_cards() returns trigger language plpgsql as $$
begin
  insert into card_tallies (board_id, column_id, status, has_pr, cards)
  select board_id, column_id, status, pr_number is not null or pr_url is not null, count(*) from added
  group by 1, 2, 3, 4
  on conflict (board_id, column_id, status, has_pr) do update set cards = card_tallies.cards + excluded.cards;

  insert into card_facets (brand_id, facet, value, board_id, cards)
  select k.brand_id, f.facet, f.value, k.board_id, count(*) from added k
  cross join lateral facets_of_card(
    k.assignee_user_id, k.assignee_agent_id, k.priority, k.labels, k.due_at, k.archived, k.status
  ) f
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (brand_id, facet, value, board_id) do update set cards = card_facets.cards + excluded.cards;
  return null;
end $$;

create or replace function tally_removed_cards() returns trigger language plpgsql as $$
begin
  update card_tallies t set cards = t.cards - r.cards
  from (
    select board_id, column_id, status, pr_number is not null or pr_url is not null as has_pr, count(*) as cards from removed
    group by 1, 2, 3, 4
  ) r
  where (t.board_id, t.column_id, t.status, t.has_pr) = (r.board_id, r.column_id, r.status, r.has_pr);

  update card_facets t set cards = t.cards - r.cards
  from (
    select k.brand_id, f.facet, f.value, k.board_id, count(*) as cards from removed k
    cross join lateral facets_of_card(
      k.assignee_user_id, k.assignee_agent_id, k.priority, k.labels, k.due_at, k.archived, k.status
    ) f
    group by 1, 2, 3, 4
  ) r
  where (t.brand_id, t.facet, t.value, t.board_id) = (r.brand_id, r.facet, r.value, r.board_id);
  return null;
end $$;

-- A desk tells every few seconds how far a card is: what leaves its facets alone costs a comparison.
create or replace function tally_changed_cards() returns trigger language plpgsql as $$
begin
  insert into card_tallies (board_id, column_id, status, has_pr, cards)
  select board_id, column_id, status, has_pr, sum(cards) from (
    select board_id, column_id, status, pr_number is not null or pr_url is not null as has_pr, -1 as cards from before
    union all
    select board_id, column_id, status, pr_number is not null or pr_url is not null, 1 from after
  ) moved
  group by 1, 2, 3, 4
  having sum(cards) <> 0
  on conflict (board_id, column_id, status, has_pr) do update set cards = card_tallies.cards + excluded.cards;

  if exists (
    select from before b join after a using (card_id)
    where (b.board_id, b.assignee_user_id, b.assignee_agent_id, b.priority, b.due_at, b.archived, b.labels)
        is distinct from (a.board_id, a.assignee_user_id, a.assignee_agent_id, a.priority, a.due_at, a.archived, a.labels)
      or a.archived and a.status <> b.status
  ) then
    insert into card_facets (brand_id, facet, value, board_id, cards)
    select brand_id, facet, value, board_id, sum(cards) from (
      select k.brand_id, f.facet, f.value, k.board_id, -1 as cards from before k
      cross join lateral facets_of_card(
        k.assignee_user_id, k.assignee_agent_id, k.priority, k.labels, k.due_at, k.archived, k.status
      ) f
      union all
      select k.brand_id, f.facet, f.value, k.board_id, 1 from after k
      cross join lateral facets_of_card(
        k.assignee_user_id, k.assignee_agent_id, k.priority, k.labels, k.due_at, k.archived, k.status
      ) f
    ) moved
    group by 1, 2, 3, 4
    having sum(cards) <> 0
    order by 1, 2, 3, 4
    on conflict (brand_id, facet, value, board_id) do update set cards = card_facets.cards + excluded.cards;
  end if;
  return null;
end $$;

insert into card_facets (brand_id, facet, value, board_id, cards)
select k.brand_id, f.facet, f.value, k.board_id, count(*) from cards k
cross join lateral facets_of_card(
  k.assignee_user_id, k.assignee_agent_id, k.priority, k.labels, k.due_at, k.archived, k.status
) f
group by 1, 2, 3, 4;

-- All cards of a workspace in the orders that people ask for, and by their labels.
drop index cards_due;
create index cards_by_due on cards (brand_id, due_at, card_id);
create index cards_by_title_order on cards (brand_id, lower(title), card_id);
create index cards_by_priority on cards (brand_id, priority_rank(priority), card_id);
create index cards_by_label on cards using gin (brand_id, labels) where labels <> '{}';
