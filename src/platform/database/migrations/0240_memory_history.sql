-- What became of each memory, and who did it. Written where the memory is written, so that no way of changing one can forget to
-- tell of it.
create table memory_history (
  entry_id bigint generated always as identity primary key,
  brand_id integer not null references brands on delete cascade,
  memory_id uuid not null references memories on delete cascade,
  at timestamptz not null,
  action text not null constraint memory_history_action_known
    check (action in ('created', 'changed', 'verified', 'archived', 'restored', 'merged', 'unmerged')),
  actor_user_id integer references users on delete set null,
  -- By field: what it was and what it is since.
  changes jsonb not null default '{}'
);
create index memory_history_by_memory on memory_history (memory_id, entry_id);
create index memory_history_by_brand on memory_history (brand_id);
create index memory_history_by_actor on memory_history (actor_user_id, entry_id) where actor_user_id is not null;

-- The person of the last write; null when the service wrote it by itself.
alter table memories add column changed_by integer;

-- Newest changed first, page by page.
create index memories_by_change on memories (agent_id, updated_at desc, memory_id desc);
create index memory_conversations_by_agent on memory_conversations (agent_id, created_at desc, conversation_id);

create function memory_told(content text) returns jsonb
language sql immutable parallel safe
return to_jsonb(case when length(content) > 10000 then left(content, 10000) || '…' else content end);

create function memory_keep_history() returns trigger
language plpgsql as $$
declare
  differences jsonb := '{}';
  deed text := 'created';
begin
  if tg_op = 'UPDATE' then
    -- Long texts are compared whole and told cut.
    select coalesce(jsonb_object_agg(field, jsonb_build_object('from', was, 'to', is_now)), '{}') into differences
    from (values
      ('title', new.title <> old.title, memory_told(old.title), memory_told(new.title)),
      ('body', new.body <> old.body, memory_told(old.body), memory_told(new.body)),
      ('description', new.description is distinct from old.description, memory_told(old.description), memory_told(new.description)),
      ('kind', new.kind <> old.kind, to_jsonb(old.kind), to_jsonb(new.kind)),
      ('tags', new.tags <> old.tags, to_jsonb(old.tags), to_jsonb(new.tags)),
      ('confidence', new.set_confidence <> old.set_confidence, to_jsonb(old.set_confidence), to_jsonb(new.set_confidence)),
      ('importance', new.importance <> old.importance, to_jsonb(old.importance), to_jsonb(new.importance)),
      ('status', new.status <> old.status, to_jsonb(old.status), to_jsonb(new.status)),
      ('merged_into', new.merged_into is distinct from old.merged_into, to_jsonb(old.merged_into), to_jsonb(new.merged_into)),
      ('merged_from', new.merged_from <> old.merged_from, to_jsonb(old.merged_from), to_jsonb(new.merged_from))
    ) as compared (field, differs, was, is_now)
    where differs;
    deed := case
      when new.status = 'merged' and old.status <> 'merged' then 'merged'
      when new.status = 'archived' and old.status <> 'archived' then 'archived'
      when new.status = 'active' and old.status = 'merged' then 'unmerged'
      when new.status = 'active' and old.status = 'archived' then 'restored'
      when differences <> '{}' then 'changed'
      else 'verified' end;
    if deed = 'verified' and new.last_verified_at = old.last_verified_at then
      return null;
    end if;
  end if;
  insert into memory_history (brand_id, memory_id, at, action, actor_user_id, changes)
  values (new.brand_id, new.memory_id, greatest(new.updated_at, new.last_verified_at), deed, new.changed_by, differences);
  return null;
end $$;
create trigger memories_history_begins after insert on memories
  for each row execute function memory_keep_history();
-- What search keeps beside the text is no news.
create trigger memories_history_goes_on after update of title, body, description, kind, tags, set_confidence, importance, status,
  merged_into, merged_from, last_verified_at on memories
  for each row execute function memory_keep_history();
