-- Search scores every memory of an agent in process. What it reads for that is kept beside the text: the stems and the words
-- of each memory, and in which transaction it last changed, so that every node can ask for what it has not seen yet.

-- Paths, addresses and identifiers are made of words: invoice-writer.ts, INVOICE_WRITER. A dot between digits stays. Most
-- texts have dots at the ends of sentences only, and patterns are slow.
create function memory_spaced(content text) returns text
language plpgsql immutable parallel safe as $$
declare
  spaced text := replace(replace(translate(content, '/\_-:@=&?#+~%<>', '               '), '. ', ' '), E'.\n', ' ');
begin
  if right(spaced, 1) = '.' then
    spaced := rtrim(spaced, '.');
  end if;
  if position('.' in spaced) > 0 then
    spaced := regexp_replace(regexp_replace(spaced, '([^0-9])\.', '\1 ', 'g'), '\.([^0-9])', ' \1', 'g');
  end if;
  return spaced;
end $$;

-- The words of names in camel case, invoiceWriter and HTTPServer; nothing for a text without any.
create function memory_humps(content text) returns text
language sql immutable parallel safe
return case when content ~ '[a-z0-9][A-Z]|[A-Z][A-Z][a-z][a-z]'
  then regexp_replace(regexp_replace(content, '([a-z0-9])([A-Z])', '\1 \2', 'g'), '([A-Z])([A-Z][a-z]{2})', '\1 \2', 'g')
  else '' end;

-- Stems by zone: A title, B body, C description, tags and the words of the conversation it came from, D words of names in camel
-- case. Whole words, for the beginnings of words and typing errors: A title, B body, D words of names in camel case.
-- A vector holds at most one megabyte, hence the cuts; the text itself is kept whole.
create function memory_terms(
  title text, body text, description text, tags text[], excerpt text, out stems tsvector, out words tsvector
)
language plpgsql immutable parallel safe as $$
declare
  spaced_title text := memory_spaced(title);
  spaced_body text := memory_spaced(left(body, 50000));
  aside text := concat_ws(' ', description, left(array_to_string(tags, ' '), 20000), left(excerpt, 4000));
  humps text := memory_humps(spaced_title || ' ' || spaced_body);
begin
  stems := setweight(to_tsvector('memory_stems'::regconfig, spaced_title), 'A')
    || setweight(to_tsvector('memory_stems'::regconfig, spaced_body), 'B');
  words := setweight(to_tsvector('memory_words'::regconfig, spaced_title), 'A')
    || setweight(to_tsvector('memory_words'::regconfig, spaced_body), 'B');
  if aside <> '' then
    stems := stems || setweight(to_tsvector('memory_stems'::regconfig, memory_spaced(aside)), 'C');
  end if;
  if humps <> '' then
    stems := stems || setweight(to_tsvector('memory_stems'::regconfig, humps), 'D');
    words := words || setweight(to_tsvector('memory_words'::regconfig, humps), 'D');
  end if;
end $$;

-- No row is rewritten here. Memories of before have no `words` yet: readers work both vectors out on the way until the
-- background has come by.
alter table memories alter column search drop expression;
alter table memories add column words tsvector;
alter table memories add column text_hash bytea;
alter table memories add column changed_in xid8 not null default '0';
alter table memories alter column changed_in set default pg_current_xact_id();

-- Which text it is that a vector was made of.
create function memory_text_hash(title text, body text) returns bytea
language sql immutable parallel safe
return substr(sha256(convert_to(title || E'\n' || body, 'UTF8')), 1, 16);

create function memory_index() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.words is null
    or new.title <> old.title or new.body <> old.body or new.description is distinct from old.description
    or new.tags <> old.tags or new.excerpt <> old.excerpt
  then
    select stems, words into new.search, new.words
    from memory_terms(new.title, new.body, new.description, new.tags, new.excerpt);
    new.text_hash := memory_text_hash(new.title, new.body);
  end if;
  new.changed_in := pg_current_xact_id();
  return new;
end $$;
create trigger memories_index before insert or update on memories
  for each row execute function memory_index();

-- Which memories are gone, for the nodes that still know them. Kept for a number of transactions: a node that has not looked
-- for longer reads everything anew.
create table memory_removals (
  agent_id text not null,
  brand_id integer not null,
  memory_id uuid not null,
  removed_in xid8 not null default pg_current_xact_id()
);
create index memory_removals_by_agent on memory_removals (agent_id, removed_in);
create index memory_removals_by_age on memory_removals (removed_in);

create function memory_remember_removals() returns trigger
language plpgsql as $$
begin
  insert into memory_removals (agent_id, brand_id, memory_id) select agent_id, brand_id, memory_id from gone;
  return null;
end $$;
create trigger memories_removed after delete on memories
  referencing old table as gone
  for each statement execute function memory_remember_removals();

create index memories_changes on memories (agent_id, changed_in, memory_id);
create index memories_unindexed on memories (memory_id) where words is null;
drop index memories_search;
drop function memory_vector;
