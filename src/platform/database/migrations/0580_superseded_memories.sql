-- The memory that took the place of an archived one. No reference: what was replaced stays so when its replacement is deleted.
alter table memories add column superseded_by uuid;

create or replace function memory_keep_history() returns trigger
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
      ('merged_from', new.merged_from <> old.merged_from, to_jsonb(old.merged_from), to_jsonb(new.merged_from)),
      ('superseded_by', new.superseded_by is distinct from old.superseded_by, to_jsonb(old.superseded_by), to_jsonb(new.superseded_by))
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
  insert into memory_history (brand_id, memory_id, at, action, actor_user_id, actor_agent_id, changes)
  values (new.brand_id, new.memory_id, greatest(new.updated_at, new.last_verified_at), deed, new.changed_by,
    new.changed_by_agent, differences);
  return null;
end $$;
