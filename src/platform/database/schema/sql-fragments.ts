import { type RawBuilder, sql } from 'kysely';
import type { ActorNames } from '../../../kernel/actors.js';

/** Returns a `like` pattern that finds the text anywhere, with wildcards escaped. */
export const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

type Column = RawBuilder<unknown>;

/** Null where the user column is null. */
export const actorNames = (
  user: Column,
  agent: Column,
): RawBuilder<ActorNames | null> => sql<ActorNames | null>`
  case when ${user} is not null then json_build_object(
    'user_id', ${user}, 'person', (select full_name from users where user_id = ${user}),
    'agent_id', ${agent}, 'agent', (select name from agents where agent_id = ${agent})) end`;

/** An expression to embed in larger statements, so that the check costs no round trip. */
export const hasEnabledWebhook = (brandId: number): RawBuilder<boolean> =>
  sql<boolean>`exists (select from webhooks w where w.brand_id = ${brandId} and w.enabled)`;

/**
 * Returns the first rows of an ordered list, at most `most`. The inner limit keeps one generic plan for all
 * page sizes. Without it the planner would plan every query again.
 */
export const firstOf = (rows: RawBuilder<unknown>, limit: number, most: number): RawBuilder<unknown> =>
  sql`select * from (select * from (${rows}) listed limit ${sql.lit(most)}) possible limit ${limit}`;

type Part = RawBuilder<unknown>;

export interface SearchedWords {
  brandId: number;
  text: string;
}

/** Matches all words, each as a prefix. Null without words. */
export const askedAnywhere = ({ brandId, text }: SearchedWords) =>
  sql`search_query(${brandId}, '/', ${text})`;

/** Like `askedAnywhere`, for titles only. */
export const askedOfTitle = ({ brandId, text }: SearchedWords) => sql`search_query(${brandId}, '!', ${text})`;

/**
 * A cheap test whether a row with names may contain all words (lower case, no accents). It passes rows that
 * contain them literally, and rows with non-ASCII letters, which only the search can fold.
 */
export const mayHaveWords = (table: Part, words: readonly string[]) =>
  sql`(${table}.plain_name is null or ${hasWords(table, longestFirst(words))})`;

/** Like `mayHaveWords` for people `u`, of whom many may be outside the workspace. Uses the trigram index. */
export const personMayHaveWords = (words: readonly string[]) => {
  const [longest = '', ...others] = longestFirst(words);
  if (longest.length < SHORTEST_INDEXED) return mayHaveWords(sql`u`, words);
  return sql`(u.plain_name is null
    or ((u.full_name || ' ' || u.email::text) ilike ${`%${longest}%`} and ${hasWords(sql`u`, [longest, ...others])}))`;
};

const SHORTEST_INDEXED = 3;

const hasWords = (table: Part, words: readonly string[]) =>
  sql`${table}.plain_name like all(${words.map((word) => `%${word}%`)}::text[])`;

/** Most names lack the longest word, so testing it first skips the other comparisons. */
const longestFirst = (words: readonly string[]) => words.toSorted((one, other) => other.length - one.length);

/** Upper bounds on the rows examined, regardless of how many match. */
const MOST_BY_TITLE = 200;
const MOST_BY_TEXT = 300;
/** One more than the palette shows, and one more than any caller may request. */
const ANSWERED = [6, 51];

interface Searched {
  from: Part;
  id: Part;
  /** As spelled in the index. */
  words: Part;
  changedAt: Part;
  where: Part;
}

/**
 * Returns the first matching rows as `id`, `changed_at` and `in_title`: title matches first, then the newest.
 * For very frequent words only some rows are examined, and there may be more than `wanted`. The words are
 * hidden from the planner, which would take longer to plan than to search. The limit is visible, so that the
 * plan is kept.
 */
export const firstWithWords = (
  asked: SearchedWords,
  { from, id, words, changedAt, where }: Searched,
  wanted: number,
) => {
  const limit = sql.lit(ANSWERED.find((many) => many >= wanted) ?? wanted);
  // As subqueries, so that the planner keeps one plan for all words.
  const has = (question: Part) => sql`${words} @@ (select ${question})`;
  return sql`
  with titled as materialized (
    select ${id} as id, ${changedAt} as changed_at, true as in_title from ${from}
    where ${has(askedOfTitle(asked))} and ${where} limit ${sql.lit(MOST_BY_TITLE)}
  ), worded as materialized (
    select ${id} as id, ${changedAt} as changed_at, false as in_title from ${from}
    where (select count(*) from titled) < ${limit} and ${has(askedAnywhere(asked))} and ${where}
    limit ${sql.lit(MOST_BY_TEXT)}
  )
  select id, max(changed_at) as changed_at, bool_or(in_title) as in_title
  from (table titled union all table worded) having_words
  group by id order by in_title desc, changed_at desc, id limit ${limit}`;
};
