-- Whether a text has a vector, and whether a memory says it still, is looked up by the hash alone, which is as good as unique: by an index
-- that begins with the agent, all that the agent has was looked through for every memory that changed or went. Workspace and agent are
-- compared as expressions, so that no plan that was made while there were few takes such an index.

-- allowed: vectors are written in the background, which tries again
create index memory_vectors_of_text on memory_vectors (text_hash);
-- allowed: memories are written a few at a time, and wait for as long as it takes to read them once
create index memories_of_text on memories (text_hash);
drop index memories_by_text;

create function memory_forget_vector(of_agent text, of_brand integer, hash bytea) returns void
language plpgsql as $$
begin
  delete from memory_vectors
  where text_hash = hash and agent_id || '' = of_agent and brand_id + 0 = of_brand and not exists (
    select from memories where text_hash = hash and agent_id || '' = of_agent and brand_id + 0 = of_brand);
end $$;

create or replace function memory_want_vector() returns trigger
language plpgsql as $$
begin
  insert into memory_unembedded (memory_id, brand_id, text_hash) values (new.memory_id, new.brand_id, new.text_hash)
  on conflict (memory_id) do update set text_hash = excluded.text_hash, claimed_at = null;
  if tg_op = 'UPDATE' then
    perform memory_forget_vector(old.agent_id, old.brand_id, old.text_hash);
  end if;
  return null;
end $$;

create or replace function memory_forget_vectors() returns trigger
language plpgsql as $$
begin
  delete from memory_unembedded where memory_id = any(array(select memory_id from gone));
  perform memory_forget_vector(agent_id, brand_id, text_hash) from (select distinct agent_id, brand_id, text_hash from gone) texts;
  return null;
end $$;
