-- What was found out of cards holds of memories, lessons and builds: a word that most of them have is not looked up in the index,
-- which would gather all of them first. The statistics of the column or the index that is named know which words those are.

-- The words that more than one in a hundred texts have; none as long as there are few texts, or nothing is known of them.
create function common_words(counted regclass) returns text[]
language plpgsql stable parallel safe as $$
declare
  texts pg_class;
begin
  select * into texts from pg_class where oid = counted;
  if texts.reltuples < 10000 then
    return '{}';
  end if;
  return array(
    select known.word
    from pg_stats s, unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as known (word, frequency)
    where s.schemaname = texts.relnamespace::regnamespace::text and s.tablename = texts.relname
      and s.attname in ('words', 'search_words') and known.frequency > 0.01);
end $$;

-- The part of a question that few texts have; all of it where none is known to be rare.
create function rare_words(asked tsquery, counted regclass) returns tsquery
language plpgsql stable parallel safe as $$
declare
  common text[];
  rare text;
begin
  if numnode(asked) = 1 then
    return asked;
  end if;
  common := common_words(counted);
  select string_agg(term, ' & ') into rare
  from unnest(string_to_array(asked::text, ' & ')) as term
  where not exists (
    select from unnest(common) word where starts_with(word, trim(both '''' from replace(term, ':*', ''))));
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

-- Titles are looked through for parts of words. The parts that few of a workspace's cards have; all where none is known to be rare.
create function rare_title_words(brand_id integer, asked text[]) returns text[]
language plpgsql stable parallel safe as $$
declare
  common text[] := common_words('card_words');
  rare text[];
begin
  select array_agg(part) into rare
  from unnest(asked) as part
  where not exists (
    select from unnest(common) word
    where starts_with(word, brand_id || '!') and strpos(word, lower(part)) > 0);
  return coalesce(rare, asked);
end $$;
