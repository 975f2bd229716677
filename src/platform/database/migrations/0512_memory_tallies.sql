-- How many memories an agent has: lists and figures say so without counting them.
--
-- What an agent learns is kept in transactions that take their time, while others write for the same agent. So nobody changes a
-- row here: whoever changes memories adds by how much, and every so often some writer puts rows of the same together, past those
-- that another has in hand. The sum is what counts.

create function week_of(at timestamptz) returns date language sql immutable parallel safe
return date_trunc('week', at at time zone 'UTC')::date;

create table memory_tallies (
  tally_id bigint generated always as identity constraint memory_tallies_pkey primary key,
  brand_id integer not null constraint memory_tallies_brand_id_fkey references brands on delete cascade,
  agent_id text not null,
  kind text not null,
  status text not null,
  -- The Monday of the week in which they were made, in UTC; of what is out of use also that of its last change.
  made_week date not null,
  left_week date,
  memories integer not null
);
create index memory_tallies_of_agent on memory_tallies (brand_id, agent_id);

create function tally_memories() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into memory_tallies (brand_id, agent_id, kind, status, made_week, left_week, memories)
    select brand_id, agent_id, kind, status, week_of(created_at),
      case when status <> 'active' then week_of(updated_at) end, count(*)
    from after group by 1, 2, 3, 4, 5, 6;
  elsif tg_op = 'DELETE' then
    -- With a workspace its tallies go too.
    insert into memory_tallies (brand_id, agent_id, kind, status, made_week, left_week, memories)
    select brand_id, agent_id, kind, status, week_of(created_at),
      case when status <> 'active' then week_of(updated_at) end, -count(*)
    from before where exists (select from brands b where b.brand_id = before.brand_id)
    group by 1, 2, 3, 4, 5, 6;
  else
    insert into memory_tallies (brand_id, agent_id, kind, status, made_week, left_week, memories)
    select brand_id, agent_id, kind, status, week_of(created_at),
      case when status <> 'active' then week_of(updated_at) end, sum(memories)
    from (
      select brand_id, agent_id, kind, status, created_at, updated_at, -1 as memories from before
      union all
      select brand_id, agent_id, kind, status, created_at, updated_at, 1 from after
    ) moved
    group by 1, 2, 3, 4, 5, 6 having sum(memories) <> 0;
  end if;
  return null;
end $$;

create trigger memories_tallied_in after insert on memories
  referencing new table as after for each statement execute function tally_memories();
create trigger memories_tallied_on after update on memories
  referencing old table as before new table as after for each statement execute function tally_memories();
create trigger memories_tallied_out after delete on memories
  referencing old table as before for each statement execute function tally_memories();

create function merge_memory_tallies() returns trigger language plpgsql as $$
begin
  with several as (
    select unnest(tallies) as tally_id from (
      select array_agg(tally_id) as tallies from memory_tallies
      where brand_id = new.brand_id and agent_id = new.agent_id
      group by kind, status, made_week, left_week having count(*) > 1
    ) same
  ), merged as (
    delete from memory_tallies where tally_id in (
      select tally_id from memory_tallies where tally_id in (select tally_id from several) for update skip locked
    )
    returning kind, status, made_week, left_week, memories
  )
  insert into memory_tallies (brand_id, agent_id, kind, status, made_week, left_week, memories)
  select new.brand_id, new.agent_id, kind, status, made_week, left_week, sum(memories) from merged
  group by kind, status, made_week, left_week having sum(memories) <> 0;
  return null;
end $$;
-- What is put together is not put together again at once.
create trigger memory_tallies_merged after insert on memory_tallies
  for each row when (new.tally_id % 50 = 0 and pg_trigger_depth() < 2) execute function merge_memory_tallies();

insert into memory_tallies (brand_id, agent_id, kind, status, made_week, left_week, memories)
select brand_id, agent_id, kind, status, week_of(created_at), case when status <> 'active' then week_of(updated_at) end, count(*)
from memories group by 1, 2, 3, 4, 5, 6;

-- allowed: memories are written by agents, a few at a time, and wait for as long as it takes to read them once
-- How far memories are to be trusted follows from the clock and cannot be kept: it is worked out from here, not from their texts.
create index memories_by_trust on memories
  (brand_id, agent_id, status, kind, importance, set_confidence, last_verified_at);

-- How many conversations of an agent wait, are learned from, are done or failed: the same way, because a source is read in one
-- transaction, however much it has to say.

create table conversation_tallies (
  tally_id bigint generated always as identity constraint conversation_tallies_pkey primary key,
  brand_id integer not null constraint conversation_tallies_brand_id_fkey references brands on delete cascade,
  agent_id text not null,
  status text not null,
  conversations integer not null
);
create index conversation_tallies_of_agent on conversation_tallies (brand_id, agent_id);

create function tally_conversations() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into conversation_tallies (brand_id, agent_id, status, conversations)
    select brand_id, agent_id, status, count(*) from after group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    -- With a workspace its tallies go too.
    insert into conversation_tallies (brand_id, agent_id, status, conversations)
    select brand_id, agent_id, status, -count(*) from before
    where exists (select from brands b where b.brand_id = before.brand_id) group by 1, 2, 3;
  else
    insert into conversation_tallies (brand_id, agent_id, status, conversations)
    select brand_id, agent_id, status, sum(conversations) from (
      select brand_id, agent_id, status, -1 as conversations from before
      union all
      select brand_id, agent_id, status, 1 from after
    ) moved
    group by 1, 2, 3 having sum(conversations) <> 0;
  end if;
  return null;
end $$;

create trigger memory_conversations_tallied_in after insert on memory_conversations
  referencing new table as after for each statement execute function tally_conversations();
create trigger memory_conversations_tallied_on after update on memory_conversations
  referencing old table as before new table as after for each statement execute function tally_conversations();
create trigger memory_conversations_tallied_out after delete on memory_conversations
  referencing old table as before for each statement execute function tally_conversations();

create function merge_conversation_tallies() returns trigger language plpgsql as $$
begin
  with several as (
    select unnest(tallies) as tally_id from (
      select array_agg(tally_id) as tallies from conversation_tallies
      where brand_id = new.brand_id and agent_id = new.agent_id
      group by status having count(*) > 1
    ) same
  ), merged as (
    delete from conversation_tallies where tally_id in (
      select tally_id from conversation_tallies where tally_id in (select tally_id from several) for update skip locked
    )
    returning status, conversations
  )
  insert into conversation_tallies (brand_id, agent_id, status, conversations)
  select new.brand_id, new.agent_id, status, sum(conversations) from merged
  group by status having sum(conversations) <> 0;
  return null;
end $$;
create trigger conversation_tallies_merged after insert on conversation_tallies
  for each row when (new.tally_id % 50 = 0 and pg_trigger_depth() < 2) execute function merge_conversation_tallies();

insert into conversation_tallies (brand_id, agent_id, status, conversations)
select brand_id, agent_id, status, count(*) from memory_conversations group by 1, 2, 3;

-- allowed: those that are not done are few
-- A list of those that failed does not look through all that did not.
create index memory_conversations_not_done on memory_conversations (brand_id, status, created_at desc, conversation_id)
  where status <> 'done';
