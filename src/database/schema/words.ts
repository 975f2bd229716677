import { type RawBuilder, sql } from 'kysely';

type Part = RawBuilder<unknown>;

/** Words that people ask for within one workspace. */
export interface AskedWords {
  brandId: number;
  text: string;
}

/** Everything that was asked for, each word as the beginning of one; null when it holds no words. */
export const askedAnywhere = ({ brandId, text }: AskedWords) => sql`search_query(${brandId}, '/', ${text})`;

/** The same of titles alone. */
export const askedOfTitle = ({ brandId, text }: AskedWords) => sql`search_query(${brandId}, '!', ${text})`;

/**
 * Whether a name may have all the words of a search, which are in lower case and without accents: it has them as they are, or holds
 * letters beyond ASCII, of which the search alone knows how they are folded.
 */
export const mayHaveWords = (name: Part, words: readonly string[]) => sql`(
  octet_length(${name}) > char_length(${name})
  or lower(${name} collate "C") like all(${words.map((word) => `%${word}%`)}::text[]))`;

/** How many rows are looked at, however many have the words. */
const MOST_BY_TITLE = 200;
const MOST_BY_TEXT = 300;

/**
 * The first rows that have all the words, as `id`, `changed_at` and `in_title`: those that have them in the title first, then the
 * newest; of a word that very many have, some. Where enough have them in the title, the others are not looked for. What the words are
 * is not told to the planner: to weigh them took it longer than to find them.
 */
export const firstWithWords = (
  asked: AskedWords,
  { from, id, words, changedAt, where }: { from: Part; id: Part; words: Part; changedAt: Part; where: Part },
  limit: number,
) => sql`
  with titled as materialized (
    select ${id} as id, ${changedAt} as changed_at, true as in_title from ${from}
    where ${words} @@ (select ${askedOfTitle(asked)}) and ${where} limit ${sql.lit(MOST_BY_TITLE)}
  ), worded as materialized (
    select ${id} as id, ${changedAt} as changed_at, false as in_title from ${from}
    where (select count(*) from titled) < ${limit} and ${words} @@ (select ${askedAnywhere(asked)}) and ${where}
    limit ${sql.lit(MOST_BY_TEXT)}
  )
  select id, max(changed_at) as changed_at, bool_or(in_title) as in_title
  from (table titled union all table worded) having_words
  group by id order by in_title desc, changed_at desc, id limit ${limit}`;
