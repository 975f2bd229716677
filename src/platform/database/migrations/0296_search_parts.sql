-- A part of a text, wherever it stands: what is typed into the search fields of memories, people and workspaces.

-- Declared immutable, which joining texts is; only the general form of these functions may not promise it.
create function memory_text(title text, body text, description text, tags text[]) returns text
language sql immutable parallel safe as $$
  select concat_ws(E'\n', title, body, description, array_to_string(tags, E'\n'))
$$;

create index memories_by_part on memories
  using gin (brand_id, agent_id, memory_text(title, body, description, tags) gin_trgm_ops);
create index users_by_part on users using gin ((full_name || ' ' || email::text) gin_trgm_ops);
create index brands_by_part on brands using gin (name gin_trgm_ops);
