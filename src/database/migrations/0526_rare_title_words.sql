-- Null where every part is in common words, which was not told from all of them being rare.
create or replace function rare_title_words(brand_id integer, asked text[]) returns text[]
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
  return rare;
end $$;
