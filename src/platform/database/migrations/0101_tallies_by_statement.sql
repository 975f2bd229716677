-- A card has a pull request when it has its number or its address. And changes are tallied once a statement, not once a
-- card: a column that changes its status takes thousands of cards along.

create or replace function tally_added_cards() returns trigger language plpgsql as $$
begin
  insert into card_tallies (board_id, column_id, status, has_pr, cards)
  select board_id, column_id, status, pr_number is not null or pr_url is not null, count(*) from added
  group by 1, 2, 3, 4
  on conflict (board_id, column_id, status, has_pr) do update set cards = card_tallies.cards + excluded.cards;
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
  return null;
end $$;

create function tally_changed_cards() returns trigger language plpgsql as $$
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
  return null;
end $$;

drop trigger cards_changed on cards;
drop function tally_changed_card();
create trigger cards_changed after update on cards
  referencing old table as before new table as after for each statement execute function tally_changed_cards();

-- Cards with an address and no number were counted as having none.
with addressed as (
  select board_id, column_id, status, count(*) as cards from cards
  where pr_number is null and pr_url is not null
  group by 1, 2, 3
), taken as (
  update card_tallies t set cards = t.cards - a.cards from addressed a
  where (t.board_id, t.column_id, t.status) = (a.board_id, a.column_id, a.status) and not t.has_pr
)
insert into card_tallies (board_id, column_id, status, has_pr, cards)
select board_id, column_id, status, true, cards from addressed
on conflict (board_id, column_id, status, has_pr) do update set cards = card_tallies.cards + excluded.cards;
