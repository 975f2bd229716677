-- What was found out of cards holds of memories, lessons and builds: a word that most of them have is not looked up in the index,
-- which would gather all of them first. The statistics of the column or the index that is named know which words those are.

-- The part of a question that few texts have; all of it where that is not known.
create function rare_words(asked tsquery, counted regclass) returns tsquery
language plpgsql stable parallel safe as $$
declare
  known_of pg_class;
  rare text;
begin
  if numnode(asked) = 1 then
    return asked;
  end if;
  select * into known_of from pg_class where oid = counted;
  if known_of.reltuples < 10000 then
    return asked;
  end if;
  select string_agg(term, ' & ') into rare
  from unnest(string_to_array(asked::text, ' & ')) as term
  where not exists (
    select from pg_stats s,
      unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as known (word, frequency)
    where s.schemaname = known_of.relnamespace::regnamespace::text and s.tablename = known_of.relname
      and s.attname in ('words', 'search_words')
      and known.frequency > 0.01 and starts_with(known.word, trim(both '''' from replace(term, ':*', ''))));
  return coalesce(rare::tsquery, asked);
end $$;

create or replace function card_texts_with(asked tsquery, most integer) returns setof card_words
language sql stable parallel safe rows 300
set enable_seqscan = off set enable_indexscan = off
begin atomic
  -- The second is no question to the index.
  select * from card_words where words @@ rare_words(asked, 'card_words'::regclass) and ts_match_vq(words, asked) limit most;
end;

drop function rare_card_words(tsquery);

-- Titles are looked through for parts of words. The parts that few of a workspace's cards have; all of them where that is not known.
create function rare_title_words(brand_id integer, asked text[]) returns text[]
language plpgsql stable parallel safe as $$
declare
  rare text[];
begin
  if (select reltuples from pg_class where oid = 'card_words'::regclass) < 10000 then
    return asked;
  end if;
  select array_agg(part) into rare
  from unnest(asked) as part
  where not exists (
    select from pg_stats s,
      unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as known (word, frequency)
    where s.schemaname = (select relnamespace::regnamespace::text from pg_class where oid = 'card_words'::regclass)
      and s.tablename = 'card_words' and s.attname = 'words' and known.frequency > 0.01
      and starts_with(known.word, brand_id || '!') and strpos(known.word, lower(part)) > 0);
  return coalesce(rare, asked);
end $$;
