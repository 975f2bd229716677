-- Cards are tallied by whether they are archived too: a board's counts leave those out. Each statement adds what it took away and what
-- it brought, whatever number of rows that were.

-- allowed: the table has a few rows for each board, and card writers wait for as long as it takes to read the cards once; a card that is
-- written between the count and the triggers would be counted wrong for ever
lock table cards in share row exclusive mode;

alter table card_tallies add column archived boolean not null default false;
alter table card_tallies drop constraint card_tallies_pkey;
alter table card_tallies add constraint card_tallies_pkey primary key (board_id, column_id, status, has_pr, archived);
-- A column that goes takes its own along, and looked through those of all workspaces for them.
create index card_tallies_of_column on card_tallies (column_id);

create or replace function tally_added_cards() returns trigger language plpgsql as $$
begin
  insert into card_tallies (board_id, column_id, status, has_pr, archived, cards)
  select board_id, column_id, status, pr_number is not null or pr_url is not null, archived, count(*) from added
  group by 1, 2, 3, 4, 5
  on conflict (board_id, column_id, status, has_pr, archived) do update set cards = card_tallies.cards + excluded.cards;
  return null;
end $$;

create or replace function tally_removed_cards() returns trigger language plpgsql as $$
begin
  update card_tallies t set cards = t.cards - r.cards
  from (
    select board_id, column_id, status, pr_number is not null or pr_url is not null as has_pr, archived, count(*) as cards from removed
    group by 1, 2, 3, 4, 5
  ) r
  where (t.board_id, t.column_id, t.status, t.has_pr, t.archived) = (r.board_id, r.column_id, r.status, r.has_pr, r.archived);
  return null;
end $$;

create or replace function tally_changed_cards() returns trigger language plpgsql as $$
begin
  insert into card_tallies (board_id, column_id, status, has_pr, archived, cards)
  select board_id, column_id, status, has_pr, archived, sum(cards) from (
    select board_id, column_id, status, pr_number is not null or pr_url is not null as has_pr, archived, -1 as cards from before
    union all
    select board_id, column_id, status, pr_number is not null or pr_url is not null, archived, 1 from after
  ) moved
  group by 1, 2, 3, 4, 5
  having sum(cards) <> 0
  on conflict (board_id, column_id, status, has_pr, archived) do update set cards = card_tallies.cards + excluded.cards;
  return null;
end $$;

delete from card_tallies;
insert into card_tallies (board_id, column_id, status, has_pr, archived, cards)
select board_id, column_id, status, pr_number is not null or pr_url is not null, archived, count(*) from cards
group by 1, 2, 3, 4, 5;
