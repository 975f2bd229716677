-- Titles are looked through for parts of words. The parts that few of a workspace's cards have; null where none is known to be rare,
-- which `rare_title_words` does not tell from all of them being so. Nodes of the version before still ask that one.
create function rare_parts_of_titles(brand_id integer, asked text[]) returns text[]
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

create or replace function rare_title_words(brand_id integer, asked text[]) returns text[]
language sql stable parallel safe
return coalesce(rare_parts_of_titles(brand_id, asked), asked);
