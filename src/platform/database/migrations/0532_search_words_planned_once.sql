-- The words of a text are worked out with plans that are made once in a session; as SQL functions the same bodies were planned anew for
-- every text. The search path is set because indexes call these functions also while the server tidies up, when it has none.

create or replace function search_spaced(content text) returns text
language plpgsql immutable parallel safe as $$
begin
  if octet_length(content) = length(content) then
    return content;
  end if;
  return regexp_replace(
    (select string_agg(normalize(substr(content, at, 500), nfkc), '' order by at) from generate_series(1, length(content), 500) as at),
    '[\u00a0-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u303f\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]',
    ' ', 'g');
end $$;

create or replace function search_words(brand_id integer, title text, content text) returns tsvector
language plpgsql immutable parallel safe cost 100000 set search_path from current as $$
declare
  titled text[] := search_terms(title || ' ' || memory_humps(title));
begin
  return array_to_tsvector(
    array(select brand_id || '!' || left(word, 60) from unnest(titled) as word)
    || array(
      select brand_id || '/' || left(word, 60)
      from unnest(
        titled
        || search_terms(coalesce(content, ''))
        || search_terms(memory_humps(left(coalesce(content, ''), 50000)))
      ) as word
    )
  );
end $$;

-- A card whose excerpt tells of instructions gets its words with those, which are written after it.
create or replace trigger cards_words_added after insert on cards for each row
  when (coalesce(new.description_excerpt, '') = '') execute function note_card_words();
create or replace trigger card_bodies_words_added after insert on card_bodies for each row
  when (coalesce(new.instructions, '') <> '' or coalesce(new.result, '') <> '') execute function note_card_words();
