-- The text in which a part is looked for, word for word the same as before, but such that the planner can put it in the place of
-- the call: a call for every memory that has the part took longer than looking for it.

create function memory_tags_text(tags text[]) returns text language sql immutable parallel safe
return array_to_string(tags, E'\n');

create or replace function memory_text(title text, body text, description text, tags text[]) returns text
language sql immutable parallel safe
return title || E'\n' || body || coalesce(E'\n' || description, '') || E'\n'
  || case when tags = '{}' then '' else memory_tags_text(tags) end;

-- Whoever is connected knows the indexes with the call in them, and would find nothing by them until they look again. This says
-- that they should, and changes nothing else.
alter index memories_by_part set (fastupdate = on);
alter index memories_by_word set (gin_pending_list_limit = 128);
