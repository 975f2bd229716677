-- A word is asked for as the beginning of one, and for a beginning the index gathers every text before it compares: a word that
-- stands in each of a million cards made the search for a second one, which stands in one of them, wait for all of them. The
-- statistics know the words that many texts have; those are looked for in the texts that have the others.

-- The part of a question that few texts have; all of it where that is not known.
create function rare_card_words(asked tsquery) returns tsquery
language plpgsql stable parallel safe as $$
declare
  rare text;
begin
  if (select reltuples from pg_class where oid = 'card_words'::regclass) < 10000 then
    return asked;
  end if;
  select string_agg(term, ' & ') into rare
  from unnest(string_to_array(asked::text, ' & ')) as term
  where not exists (
    select from pg_stats s,
      unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as known (word, frequency)
    where s.schemaname = (select relnamespace::regnamespace::text from pg_class where oid = 'card_words'::regclass)
      and s.tablename = 'card_words' and s.attname = 'words'
      and known.frequency > 0.01 and starts_with(known.word, trim(both '''' from replace(term, ':*', ''))));
  return coalesce(rare::tsquery, asked);
end $$;

create or replace function card_texts_with(asked tsquery, most integer) returns setof card_words
language sql stable parallel safe rows 300
set enable_seqscan = off set enable_indexscan = off
begin atomic
  -- The second is no question to the index.
  select * from card_words where words @@ rare_card_words(asked) and ts_match_vq(words, asked) limit most;
end;
