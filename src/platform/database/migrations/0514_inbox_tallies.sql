-- How many items of an inbox are open and unread, by board, since guests see what is on theirs. What is or was put off is not
-- among them: whether that is open follows from the clock, and it is little. Rows are added and put together as those of memories
-- are, because items are written in the transactions of what they tell of.

create table inbox_tallies (
  tally_id bigint generated always as identity constraint inbox_tallies_pkey primary key,
  brand_id integer not null constraint inbox_tallies_brand_id_fkey references brands on delete cascade,
  user_id integer not null constraint inbox_tallies_user_id_fkey references users on delete cascade,
  board_id uuid not null,
  open integer not null,
  unread integer not null
);
create index inbox_tallies_of_person on inbox_tallies (brand_id, user_id);
create index inbox_tallies_by_user on inbox_tallies (user_id);

create function tally_inbox_items() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into inbox_tallies (brand_id, user_id, board_id, open, unread)
    select brand_id, user_id, board_id, count(*), count(*) filter (where read_at is null)
    from after where done_at is null and snoozed_until is null group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    -- With a workspace or a person their tallies go too.
    insert into inbox_tallies (brand_id, user_id, board_id, open, unread)
    select brand_id, user_id, board_id, -count(*), -count(*) filter (where read_at is null)
    from before where done_at is null and snoozed_until is null
      and exists (select from brands b where b.brand_id = before.brand_id)
      and exists (select from users u where u.user_id = before.user_id)
    group by 1, 2, 3;
  else
    insert into inbox_tallies (brand_id, user_id, board_id, open, unread)
    select brand_id, user_id, board_id, sum(open), coalesce(sum(open) filter (where read_at is null), 0) from (
      select brand_id, user_id, board_id, read_at, -1 as open from before where done_at is null and snoozed_until is null
      union all
      select brand_id, user_id, board_id, read_at, 1 from after where done_at is null and snoozed_until is null
    ) moved
    group by 1, 2, 3 having sum(open) <> 0 or sum(open) filter (where read_at is null) <> 0;
  end if;
  return null;
end $$;

create trigger inbox_items_tallied_in after insert on inbox_items
  referencing new table as after for each statement execute function tally_inbox_items();
create trigger inbox_items_tallied_on after update on inbox_items
  referencing old table as before new table as after for each statement execute function tally_inbox_items();
create trigger inbox_items_tallied_out after delete on inbox_items
  referencing old table as before for each statement execute function tally_inbox_items();

create function merge_inbox_tallies() returns trigger language plpgsql as $$
begin
  with several as (
    select unnest(tallies) as tally_id from (
      select array_agg(tally_id) as tallies from inbox_tallies where brand_id = new.brand_id and user_id = new.user_id
      group by board_id having count(*) > 1
    ) same
  ), merged as (
    delete from inbox_tallies where tally_id in (
      select tally_id from inbox_tallies where tally_id in (select tally_id from several) for update skip locked
    )
    returning board_id, open, unread
  )
  insert into inbox_tallies (brand_id, user_id, board_id, open, unread)
  select new.brand_id, new.user_id, board_id, sum(open), sum(unread) from merged
  group by board_id having sum(open) <> 0 or sum(unread) <> 0;
  return null;
end $$;
create trigger inbox_tallies_merged after insert on inbox_tallies
  for each row when (new.tally_id % 50 = 0 and pg_trigger_depth() < 2) execute function merge_inbox_tallies();

insert into inbox_tallies (brand_id, user_id, board_id, open, unread)
select brand_id, user_id, board_id, count(*), count(*) filter (where read_at is null)
from inbox_items where done_at is null and snoozed_until is null group by 1, 2, 3;

-- allowed: items wait for as long as it takes to read those that are put off
-- Finishing an item that never was put off changes nothing that this depends on, as 0297 asks for.
create index inbox_items_put_off on inbox_items (brand_id, user_id) where snoozed_until is not null;
