-- What was made, done and built in which week: the figures of a workspace read a few rows for each, however much there is.

-- By board, because whoever changes cards of a board waits for one another already.
create table card_weeks (
  brand_id integer not null,
  -- The Monday, in UTC.
  week date not null,
  board_id uuid not null constraint card_weeks_board_id_fkey references boards on delete cascade,
  made integer not null,
  done integer not null,
  constraint card_weeks_pkey primary key (brand_id, week, board_id)
) with (fillfactor = 70);
create index card_weeks_of_board on card_weeks (board_id);

create function tally_card_weeks() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into card_weeks (brand_id, week, board_id, made, done)
    select brand_id, week, board_id, sum(made), sum(done) from (
      select brand_id, week_of(created_at) as week, board_id, 1 as made, 0 as done from after
      union all
      select brand_id, week_of(completed_at), board_id, 0, 1 from after where completed_at is not null
    ) weeks
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (brand_id, week, board_id) do update
      set made = card_weeks.made + excluded.made, done = card_weeks.done + excluded.done;
  elsif tg_op = 'DELETE' then
    -- With a board its weeks go too.
    update card_weeks w set made = w.made - r.made, done = w.done - r.done
    from (
      select brand_id, week, board_id, sum(made) as made, sum(done) as done from (
        select brand_id, week_of(created_at) as week, board_id, 1 as made, 0 as done from before
        union all
        select brand_id, week_of(completed_at), board_id, 0, 1 from before where completed_at is not null
      ) weeks
      group by 1, 2, 3
    ) r
    where (w.brand_id, w.week, w.board_id) = (r.brand_id, r.week, r.board_id);
  -- A desk tells every few seconds how far a card is: what neither ends nor moves costs a comparison.
  elsif exists (
    select from before b join after a using (card_id)
    where (b.board_id, b.completed_at, b.created_at) is distinct from (a.board_id, a.completed_at, a.created_at)
  ) then
    insert into card_weeks (brand_id, week, board_id, made, done)
    select brand_id, week, board_id, sum(made), sum(done) from (
      select brand_id, week_of(created_at) as week, board_id, -1 as made, 0 as done from before
      union all
      select brand_id, week_of(completed_at), board_id, 0, -1 from before where completed_at is not null
      union all
      select brand_id, week_of(created_at), board_id, 1, 0 from after
      union all
      select brand_id, week_of(completed_at), board_id, 0, 1 from after where completed_at is not null
    ) weeks
    group by 1, 2, 3 having sum(made) <> 0 or sum(done) <> 0
    order by 1, 2, 3
    on conflict (brand_id, week, board_id) do update
      set made = card_weeks.made + excluded.made, done = card_weeks.done + excluded.done;
  end if;
  return null;
end $$;

create trigger cards_weeks_added after insert on cards
  referencing new table as after for each statement execute function tally_card_weeks();
create trigger cards_weeks_changed after update on cards
  referencing old table as before new table as after for each statement execute function tally_card_weeks();
create trigger cards_weeks_removed after delete on cards
  referencing old table as before for each statement execute function tally_card_weeks();

insert into card_weeks (brand_id, week, board_id, made, done)
select brand_id, week, board_id, sum(made), sum(done) from (
  select brand_id, week_of(created_at) as week, board_id, 1 as made, 0 as done from cards
  union all
  select brand_id, week_of(completed_at), board_id, 0, 1 from cards where completed_at is not null
) weeks
group by 1, 2, 3;

-- Builds that have ended, by the week in which they were asked for; those that have not are few, and are counted. Rows are added
-- and put together as those of memories are: whoever ends a build holds what it spent, which others wait for.
create table build_weeks (
  tally_id bigint generated always as identity constraint build_weeks_pkey primary key,
  brand_id integer not null constraint build_weeks_brand_id_fkey references brands on delete cascade,
  week date not null,
  coder text not null,
  -- Builds and reviews.
  ended integer not null,
  builds integer not null,
  succeeded integer not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  cost_usd numeric not null
);
create index build_weeks_of_brand on build_weeks (brand_id, week);

create function tally_build_weeks() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into build_weeks (brand_id, week, coder, ended, builds, succeeded, tokens_in, tokens_out, cost_usd)
    select brand_id, week_of(queued_at), coder, count(*), count(*) filter (where kind = 'build'),
      count(*) filter (where kind = 'build' and outcome = 'succeeded'), coalesce(sum(tokens_in), 0),
      coalesce(sum(tokens_out), 0), coalesce(sum(cost_usd::numeric), 0)
    from after where outcome is not null group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into build_weeks (brand_id, week, coder, ended, builds, succeeded, tokens_in, tokens_out, cost_usd)
    select brand_id, week_of(queued_at), coder, -count(*), -count(*) filter (where kind = 'build'),
      -count(*) filter (where kind = 'build' and outcome = 'succeeded'), -coalesce(sum(tokens_in), 0),
      -coalesce(sum(tokens_out), 0), -coalesce(sum(cost_usd::numeric), 0)
    from before where outcome is not null and exists (select from brands b where b.brand_id = before.brand_id)
    group by 1, 2, 3;
  else
    insert into build_weeks (brand_id, week, coder, ended, builds, succeeded, tokens_in, tokens_out, cost_usd)
    select brand_id, week_of(queued_at), coder, sum(ended), coalesce(sum(ended) filter (where kind = 'build'), 0),
      coalesce(sum(ended) filter (where kind = 'build' and outcome = 'succeeded'), 0),
      coalesce(sum(ended * tokens_in), 0), coalesce(sum(ended * tokens_out), 0), coalesce(sum(ended * cost_usd::numeric), 0)
    from (
      select brand_id, queued_at, coder, kind, outcome, tokens_in, tokens_out, cost_usd, -1 as ended
      from before where outcome is not null
      union all
      select brand_id, queued_at, coder, kind, outcome, tokens_in, tokens_out, cost_usd, 1 from after where outcome is not null
    ) moved
    group by 1, 2, 3
    having sum(ended) <> 0 or sum(ended) filter (where kind = 'build' and outcome = 'succeeded') <> 0
      or sum(ended * tokens_in) <> 0 or sum(ended * tokens_out) <> 0 or sum(ended * cost_usd::numeric) <> 0;
  end if;
  return null;
end $$;

create trigger builds_weeks_added after insert on builds
  referencing new table as after for each statement execute function tally_build_weeks();
create trigger builds_weeks_changed after update on builds
  referencing old table as before new table as after for each statement execute function tally_build_weeks();
create trigger builds_weeks_removed after delete on builds
  referencing old table as before for each statement execute function tally_build_weeks();

create function merge_build_weeks() returns trigger language plpgsql as $$
begin
  with several as (
    select unnest(tallies) as tally_id from (
      select array_agg(tally_id) as tallies from build_weeks where brand_id = new.brand_id
      group by week, coder having count(*) > 1
    ) same
  ), merged as (
    delete from build_weeks where tally_id in (
      select tally_id from build_weeks where tally_id in (select tally_id from several) for update skip locked
    )
    returning *
  )
  insert into build_weeks (brand_id, week, coder, ended, builds, succeeded, tokens_in, tokens_out, cost_usd)
  select new.brand_id, week, coder, sum(ended), sum(builds), sum(succeeded), sum(tokens_in), sum(tokens_out), sum(cost_usd)
  from merged group by week, coder;
  return null;
end $$;
create trigger build_weeks_merged after insert on build_weeks
  for each row when (new.tally_id % 50 = 0 and pg_trigger_depth() < 2) execute function merge_build_weeks();

insert into build_weeks (brand_id, week, coder, ended, builds, succeeded, tokens_in, tokens_out, cost_usd)
select brand_id, week_of(queued_at), coder, count(*), count(*) filter (where kind = 'build'),
  count(*) filter (where kind = 'build' and outcome = 'succeeded'), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0),
  coalesce(sum(cost_usd::numeric), 0)
from builds where outcome is not null group by 1, 2, 3;
