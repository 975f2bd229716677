-- Search over everything: the words of cards, comments, memories, lessons and builds.

-- Beyond ASCII the parser takes quotes, dashes, arrows and emoji for letters: they are blanks here. Piece by piece: to put accents
-- in order takes the square of how many follow each other.
create function search_spaced(content text) returns text
language sql immutable parallel safe
return case when octet_length(content) = length(content) then content else regexp_replace(
  (select string_agg(normalize(substr(content, at, 500), nfkc), '' order by at) from generate_series(1, length(content), 500) as at),
  '[\u00a0-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u303f\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]',
  ' ', 'g') end;

-- Accents folded, in lower case; of a long text the first 50,000 characters, since a vector holds at most one megabyte.
create function search_terms(content text) returns text[]
language sql immutable parallel safe
return tsvector_to_array(to_tsvector('memory_words'::regconfig, memory_spaced(search_spaced(left(content, 50000)))));

-- Every word begins with its workspace: those of others lie elsewhere in an index and cost a search nothing, not even when the
-- beginning of a word is looked for. `12/word` stands somewhere in the text, `12!word` in its title. The cost is far above the
-- real one: without the index all words would be made anew.
create function search_words(brand_id integer, title text, content text) returns tsvector
language sql immutable parallel safe cost 100000
return array_to_tsvector(
  array(select brand_id || '!' || left(word, 60) from unnest(search_terms(title || ' ' || memory_humps(title))) as word)
  || array(
    select brand_id || '/' || left(word, 60)
    from unnest(
      search_terms(title || ' ' || memory_humps(title))
      || search_terms(coalesce(content, ''))
      || search_terms(memory_humps(left(coalesce(content, ''), 50000)))
    ) as word
  )
);

-- All words of a question, each as the beginning of one; a single letter would begin too many. Null when it has none.
create function search_query(brand_id integer, zone text, asked text) returns tsquery
language sql immutable parallel safe
return (
  select string_agg(
    '''' || replace(replace(brand_id || zone || left(word, 60), '\', '\\'), '''', '''''') || ''''
      || case when length(word) > 1 then ':*' else '' end,
    ' & ')::tsquery
  from unnest(search_terms(asked)) as word
);

-- The words of a card (title, instructions, result) and of each of its comments. `text_id` is the card's or the comment's.
create table card_words (
  text_id uuid primary key,
  card_id uuid not null constraint card_words_card_id_fkey references cards on delete cascade,
  board_id uuid not null,
  brand_id integer not null,
  changed_at timestamptz not null,
  words tsvector not null
);
create index card_words_by_card on card_words (card_id);

create function card_text(instructions text, result text) returns text
language sql immutable parallel safe
return concat_ws(E'\n', left(instructions, 40000), left(result, 10000));

create function note_card_words() returns trigger language plpgsql as $$
begin
  insert into card_words (text_id, card_id, board_id, brand_id, changed_at, words)
  select k.card_id, k.card_id, k.board_id, k.brand_id, k.updated_at,
    search_words(k.brand_id, k.title, card_text(b.instructions, b.result))
  from cards k left join card_bodies b using (card_id) where k.card_id = new.card_id
  on conflict (text_id) do update set changed_at = excluded.changed_at, words = excluded.words;
  return null;
end $$;

create trigger cards_words_added after insert on cards for each row execute function note_card_words();
create trigger cards_words_changed after update on cards for each row
  when (old.title is distinct from new.title) execute function note_card_words();
create trigger card_bodies_words_added after insert on card_bodies for each row
  when (new.instructions is not null or new.result is not null) execute function note_card_words();
create trigger card_bodies_words_changed after update on card_bodies for each row
  when (old.instructions is distinct from new.instructions or old.result is distinct from new.result)
  execute function note_card_words();

create function note_comment_words() returns trigger language plpgsql as $$
begin
  insert into card_words (text_id, card_id, board_id, brand_id, changed_at, words)
  select new.comment_id, k.card_id, k.board_id, k.brand_id, new.created_at, search_words(k.brand_id, '', new.body)
  from cards k where k.card_id = new.card_id
  on conflict (text_id) do update set words = excluded.words;
  return null;
end $$;

create function forget_comment_words() returns trigger language plpgsql as $$
begin
  delete from card_words where text_id = old.comment_id;
  return null;
end $$;

create trigger card_comments_words_added after insert on card_comments for each row execute function note_comment_words();
create trigger card_comments_words_changed after update on card_comments for each row
  when (old.body is distinct from new.body) execute function note_comment_words();
create trigger card_comments_words_removed after delete on card_comments for each row execute function forget_comment_words();

insert into card_words (text_id, card_id, board_id, brand_id, changed_at, words)
select k.card_id, k.card_id, k.board_id, k.brand_id, k.updated_at,
  search_words(k.brand_id, k.title, card_text(b.instructions, b.result))
from cards k left join card_bodies b using (card_id)
union all
select c.comment_id, k.card_id, k.board_id, k.brand_id, c.created_at, search_words(k.brand_id, '', c.body)
from card_comments c join cards k using (card_id);

-- A short list of what is not in the index yet: every search reads it.
create index card_words_by_word on card_words using gin (words) with (gin_pending_list_limit = 128);
create index card_words_newest on card_words (brand_id, changed_at desc);
create index card_words_newest_of_board on card_words (board_id, changed_at desc);

-- Some of the texts with these words. By the index, whatever the planner thinks: one word stands in every card of a workspace and
-- the next in none, and a walk through the table that meets none in time has no end.
create function card_texts_with(asked tsquery, most integer) returns setof card_words
language sql stable parallel safe rows 300
set enable_seqscan = off set enable_indexscan = off
begin atomic
  select * from card_words where words @@ asked limit most;
end;

create index memories_by_word on memories
  using gin (search_words(brand_id, title, memory_text('', body, description, tags))) with (gin_pending_list_limit = 128);
create index lessons_by_word on lessons
  using gin (search_words(brand_id, title, body)) with (gin_pending_list_limit = 128);

create function build_text(note text, reason text, result text, branch text) returns text
language sql immutable parallel safe
return concat_ws(E'\n', note, reason, result, branch);

create index builds_by_word on builds
  using gin (search_words(brand_id, ref, build_text(note, reason, result, branch))) with (gin_pending_list_limit = 128);
