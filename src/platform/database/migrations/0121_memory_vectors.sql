-- What memories mean, as numbers of eight bits: a scale and one byte for each dimension. Kept by text, so that what is said twice
-- is worked out once, and by workspace and agent, so that nothing is ever compared beyond them.
create table memory_vectors (
  agent_id text not null references agents on delete cascade,
  brand_id integer not null references brands on delete cascade,
  model text not null,
  text_hash bytea not null,
  dimensions integer not null,
  vector bytea not null,
  made_in xid8 not null default pg_current_xact_id(),
  primary key (agent_id, brand_id, model, text_hash)
);
create index memory_vectors_made on memory_vectors (agent_id, made_in);
create index memory_vectors_by_model on memory_vectors (model);
create index memory_vectors_by_brand on memory_vectors (brand_id);
create index memories_by_text on memories (agent_id, text_hash);

-- Memories whose text has no vector yet.
create table memory_unembedded (
  memory_id uuid primary key,
  brand_id integer not null,
  text_hash bytea not null,
  -- Somebody is at it; after a while somebody else may be.
  claimed_at timestamptz
);
create index memory_unembedded_by_brand on memory_unembedded (brand_id, memory_id);

-- A vector lives as long as a memory of the agent says its text.
create function memory_want_vector() returns trigger
language plpgsql as $$
begin
  insert into memory_unembedded (memory_id, brand_id, text_hash) values (new.memory_id, new.brand_id, new.text_hash)
  on conflict (memory_id) do update set text_hash = excluded.text_hash, claimed_at = null;
  if tg_op = 'UPDATE' then
    delete from memory_vectors
    where agent_id = old.agent_id and brand_id = old.brand_id and text_hash = old.text_hash and not exists (
      select from memories where agent_id = old.agent_id and brand_id = old.brand_id and text_hash = old.text_hash);
  end if;
  return null;
end $$;
create trigger memories_written after insert on memories
  for each row execute function memory_want_vector();
create trigger memories_rewritten after update on memories
  for each row when (old.text_hash is distinct from new.text_hash) execute function memory_want_vector();

create function memory_forget_vectors() returns trigger
language plpgsql as $$
begin
  delete from memory_unembedded where memory_id in (select memory_id from gone);
  delete from memory_vectors using gone
  where memory_vectors.agent_id = gone.agent_id and memory_vectors.brand_id = gone.brand_id
    and memory_vectors.text_hash = gone.text_hash and not exists (
      select from memories
      where memories.agent_id = gone.agent_id and memories.brand_id = gone.brand_id and memories.text_hash = gone.text_hash);
  return null;
end $$;
create trigger memories_forgotten after delete on memories
  referencing old table as gone
  for each statement execute function memory_forget_vectors();
