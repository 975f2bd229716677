import { type RawBuilder, sql } from 'kysely';

type Vector = RawBuilder<unknown>;

/** Words that people ask for within one workspace. */
export interface AskedWords {
  brandId: number;
  text: string;
}

/** Everything that was asked for, each word as the beginning of one; null when it holds no words. */
export const askedAnywhere = ({ brandId, text }: AskedWords) => sql`search_query(${brandId}, '/', ${text})`;

/** The same of titles alone. */
export const askedOfTitle = ({ brandId, text }: AskedWords) => sql`search_query(${brandId}, '!', ${text})`;

/** How many rows are looked at, however many have the words. */
const MOST_BY_TITLE = 200;
const MOST_BY_TEXT = 300;

/**
 * The rows that have all the words, as `id`, `changed_at` and whether the title has them: some of them where a word is in
 * very many, and those that have it in the title before others.
 */
export const rowsWithWords = (
  asked: AskedWords,
  {
    from,
    id,
    words,
    changedAt,
    where,
  }: { from: Vector; id: Vector; words: Vector; changedAt: Vector; where: Vector },
) => sql`
  select id, max(changed_at) as changed_at, bool_or(in_title) as in_title from (
    (select ${id} as id, ${changedAt} as changed_at, true as in_title from ${from}
     where ${words} @@ ${askedOfTitle(asked)} and ${where} limit ${sql.lit(MOST_BY_TITLE)})
    union all
    (select ${id}, ${changedAt}, false from ${from}
     where ${words} @@ ${askedAnywhere(asked)} and ${where} limit ${sql.lit(MOST_BY_TEXT)})
  ) having_words group by id`;
