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
 * Whether a row of a table with names may have all the words of a search, which are in lower case and without accents: it has them as
 * they are, or holds letters beyond ASCII, of which the search alone knows how they are folded.
 */
export const mayHaveWords = (table: Part, words: readonly string[]) =>
  sql`(${table}.plain_name is null or ${hasWords(table, longestFirst(words))})`;

/** The same of people `u`, of whom there may be very many beside those of a workspace: an index knows them by three letters in a row. */
export const personMayHaveWords = (words: readonly string[]) => {
  const [longest = '', ...others] = longestFirst(words);
  if (longest.length < SHORTEST_INDEXED) return mayHaveWords(sql`u`, words);
  return sql`(u.plain_name is null
    or ((u.full_name || ' ' || u.email::text) ilike ${`%${longest}%`} and ${hasWords(sql`u`, [longest, ...others])}))`;
};

const SHORTEST_INDEXED = 3;

const hasWords = (table: Part, words: readonly string[]) =>
  sql`${table}.plain_name like all(${words.map((word) => `%${word}%`)}::text[])`;

/** Most names lack the longest: the others need not be looked for in them. */
const longestFirst = (words: readonly string[]) => words.toSorted((one, other) => other.length - one.length);

/** How many rows are looked at, however many have the words. */
const MOST_BY_TITLE = 200;
const MOST_BY_TEXT = 300;
/** As many as a palette shows and one more, and as many as anybody may ask for. */
const ANSWERED = [6, 51];

interface Searched {
  from: Part;
  id: Part;
  /** Word for word as the index has them. */
  words: Part;
  /** The index of the words, and what is known of how many texts have each. */
  index: string;
  changedAt: Part;
  where: Part;
}

/**
 * The first rows that have all the words, as `id`, `changed_at` and `in_title`: those that have them in the title first, then the
 * newest; of a word that very many have, some. Where enough have them in the title, the others are not looked for. What the words are
 * is not told to the planner, to weigh them took it longer than to find them; about how many are wanted is, so that a plan is kept.
 * There may be more than `wanted`.
 */
export const firstWithWords = (
  asked: AskedWords,
  { from, id, words, index, changedAt, where }: Searched,
  wanted: number,
) => {
  const limit = sql.lit(ANSWERED.find((many) => many >= wanted) ?? wanted);
  // The rare words are looked up, and the others in what is found: of what many texts have, the index would gather all first.
  const asking = (question: Part) => sql`
    select whole, rare_words(whole, ${sql.lit(index)}::regclass) as rare from (values (${question})) question (whole)`;
  const has = (question: Part) => sql`${words} @@ (select rare from ${question})
    and ((select rare = whole from ${question}) or ts_match_vq(${words}, (select whole from ${question})))`;
  return sql`
  with of_title as materialized (${asking(askedOfTitle(asked))}), anywhere as materialized (${asking(askedAnywhere(asked))}),
  titled as materialized (
    select ${id} as id, ${changedAt} as changed_at, true as in_title from ${from}
    where ${has(sql`of_title`)} and ${where} limit ${sql.lit(MOST_BY_TITLE)}
  ), worded as materialized (
    select ${id} as id, ${changedAt} as changed_at, false as in_title from ${from}
    where (select count(*) from titled) < ${limit} and ${has(sql`anywhere`)} and ${where}
    limit ${sql.lit(MOST_BY_TEXT)}
  )
  select id, max(changed_at) as changed_at, bool_or(in_title) as in_title
  from (table titled union all table worded) having_words
  group by id order by in_title desc, changed_at desc, id limit ${limit}`;
};
