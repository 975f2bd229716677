import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../database/database.js';
import { confidenceAt, type Kind } from '../memory.record.js';
import { type AnalysedQuery, type QueryTerm, termQueries } from './query-terms.js';
import {
  boostOf,
  type Candidate,
  type Importance,
  inverseFrequency,
  type TermStatistics,
} from './ranking.js';
import { type AgentWords, chooseLeading } from './word-statistics.js';

const LOWEST_CONFIDENCE = 0.3;
/** How much more a title says than a body, as the exact scores have it. */
const TITLE_FACTOR = 1.57;
/** Counting goes no further: it only tells small agents from large ones. */
export const MOST_COUNTED = 1000;
/** Titles are told apart before the choice only where the words alone leave too many alike. */
const TITLES_UP_TO_TERMS = 2;

export interface SearchScope {
  agentId: string;
  kinds: readonly Kind[];
  now: Date;
}

export interface LeftOut {
  archived: number;
  merged: number;
  low_confidence: number;
  other_kind: number;
}

interface CandidateRow {
  memory_id: string;
  title: string;
  vector: string;
  length: number;
  importance: Importance;
  confidence: number;
  created_at: Date;
}

interface Candidates {
  candidates: Candidate[];
  statistics: TermStatistics;
}

const toCandidate = (row: CandidateRow): Candidate => ({
  id: row.memory_id,
  title: row.title,
  vector: row.vector,
  length: row.length,
  importance: row.importance,
  confidence: row.confidence,
  createdAt: row.created_at,
});

const anyOf = (terms: readonly QueryTerm[]): string =>
  terms.map((term) => termQueries(term).anywhere).join(' | ');

export function searchStore(db: Db, brandId: number) {
  // Written as a sum so that the planner leaves the workspace's own index alone: the agent's is the narrower one.
  const ofAgent = (agentId: string) => sql`agent_id = ${agentId} and brand_id + 0 = ${brandId}`;
  const returnable = ({ agentId, kinds, now }: SearchScope) => sql`
    ${ofAgent(agentId)} and status = 'active' and kind = any(${kinds}::text[]) and ${confidenceAt(now)} >= ${LOWEST_CONFIDENCE}`;

  return {
    async analyse(text: string): Promise<AnalysedQuery> {
      const { rows } = await sql<{ stems: string; words: string }>`
        select to_tsvector('memory_stems', ${text})::text as stems, to_tsvector('memory_words', ${text})::text as words`.execute(
        db,
      );
      return { text, ...rows[0]! };
    },

    /** What the index makes of single words; stop words are left out. */
    async stemWords(words: readonly string[]): Promise<Map<string, string>> {
      const { rows } = await sql<{ word: string; stem: string }>`
        select word, stem from unnest(${words}::text[]) as word,
          lateral unnest(ts_lexize('english_stem', word)) as stem`.execute(db);
      return new Map(rows.map(({ word, stem }) => [word, stem]));
    },

    async countDocuments(agentId: string): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from (
          select from memories where ${ofAgent(agentId)} and status = 'active' limit ${MOST_COUNTED}) counted`.execute(
        db,
      );
      return rows[0]!.count;
    },

    /** How common each word is among the agent's memories. */
    async loadWords(agentId: string): Promise<AgentWords> {
      const memories = sql`format('select search from memories where agent_id = %L and brand_id + 0 = %L::int and status = ''active'' limit 50000',
        ${agentId}::text, ${brandId}::int)`;
      const words = await sql<{ word: string; ndoc: number }>`
        select word, ndoc from ts_stat(${memories}, 'abc') where ndoc > 2`.execute(db);
      const count = await sql<{ count: number }>`
        select count(*) as count from (select from memories where ${ofAgent(agentId)} and status = 'active' limit 50000) counted`.execute(
        db,
      );
      return {
        documents: count.rows[0]!.count,
        frequencies: new Map(words.rows.map(({ word, ndoc }) => [word, ndoc])),
      };
    },

    /** The memories with the best words, scored roughly, and how common each word is among all that have any of them. */
    async findCandidates(
      scope: SearchScope,
      terms: readonly QueryTerm[],
      documents: number,
      limit: number,
    ): Promise<Candidates> {
      const { rows } = await sql<CandidateRow & { frequencies: number[] }>`
        with hits as materialized (
          select memory_id, importance, ${confidenceAt(scope.now)} as confidence, created_at, ${hitColumns(terms)}
          from memories
          where ${returnable(scope)} and search @@ ${anyOf(terms)}::tsquery
        ),
        statistics as materialized (select ${list(terms, (i) => sql`count(*) filter (where ${column('h', i)} > 0)::float8 as ${column('d', i)}`)} from hits),
        best as (
          select hits.*, array[${list(terms, (i) => column('d', i))}] as frequencies, ${roughScore(terms, documents)} as score
          from hits, statistics
          order by score desc, memory_importance_rank(importance) desc, confidence desc, created_at desc
          limit ${limit}
        )
        select best.memory_id, best.importance, best.confidence, best.created_at, best.frequencies, title, search::text as vector,
          length(ts_filter(search, '{a,b}')) as length
        from best join memories using (memory_id)`.execute(db);
      return {
        candidates: rows.map(toCandidate),
        statistics: { documents, frequencies: rows[0]?.frequencies ?? terms.map(() => 0) },
      };
    },

    /** The same when it is known how common the words are: only the rarer ones bring memories in, all of them count. */
    async findCandidatesKnowing(
      scope: SearchScope,
      terms: readonly QueryTerm[],
      statistics: TermStatistics,
      limit: number,
    ): Promise<Candidates> {
      const { rows } = await sql<CandidateRow>`
        with best as (
          select memory_id, importance, ${confidenceAt(scope.now)} as confidence, created_at, ${knownScore(terms, statistics)} as score
          from memories
          where ${returnable(scope)} and search @@ ${anyOf(chooseLeading(terms, statistics))}::tsquery
          order by score desc, memory_importance_rank(importance) desc, confidence desc, created_at desc
          limit ${limit}
        )
        select best.memory_id, best.importance, best.confidence, best.created_at, title,
          ts_filter(search, '{a,b,c}')::text as vector, length(ts_filter(search, '{a,b}')) as length
        from best join memories using (memory_id)`.execute(db);
      return { candidates: rows.map(toCandidate), statistics };
    },

    /** Memories that hold the text as it was typed: scripts without spaces, symbols, parts of identifiers. */
    async findBySubstring(scope: SearchScope, text: string, limit: number): Promise<string[]> {
      const { rows } = await sql<{ memory_id: string }>`
        select memory_id from memories
        where ${returnable(scope)} and strpos(lower(title || ' ' || body), lower(${text})) > 0
        order by strpos(lower(title), lower(${text})) > 0 desc, memory_importance_rank(importance) desc,
          ${confidenceAt(scope.now)} desc, created_at desc, memory_id desc
        limit ${limit}`.execute(db);
      return rows.map((row) => row.memory_id);
    },

    /** Words of the agent's memories that look like this one. */
    async listSimilarWords({ agentId }: SearchScope, word: string): Promise<string[]> {
      const { rows } = await sql<{ word: string }>`
        select word from ts_stat(
          format('select search from memories where agent_id = %L and brand_id + 0 = %L::int and status = ''active'' limit 20000',
            ${agentId}::text, ${brandId}::int), 'd')
        where abs(length(word) - ${word.length}) <= 2 and similarity(word, ${word}) >= 0.12
        order by similarity(word, ${word}) desc, ndoc desc, word
        limit 200`.execute(db);
      return rows.map((row) => row.word);
    },

    async listTop(scope: SearchScope, limit: number): Promise<string[]> {
      const { rows } = await sql<{ memory_id: string }>`
        select memory_id from memories where ${returnable(scope)}
        order by memory_importance_rank(importance) desc, ${confidenceAt(scope.now)} desc, created_at desc, memory_id desc
        limit ${limit}`.execute(db);
      return rows.map((row) => row.memory_id);
    },

    /** Memories that have the words and are not returned, by the first reason that keeps them back. */
    async countLeftOut(scope: SearchScope, terms: readonly QueryTerm[] | undefined): Promise<LeftOut> {
      const low = sql`${confidenceAt(scope.now)} < ${LOWEST_CONFIDENCE}`;
      const kind = sql`kind = any(${scope.kinds}::text[])`;
      const matches =
        terms === undefined
          ? sql`true`
          : terms.length === 0
            ? sql`false`
            : sql`search @@ ${anyOf(terms)}::tsquery`;
      const { rows } = await sql<LeftOut>`
        select count(*) filter (where status = 'archived') as archived,
          count(*) filter (where status = 'merged') as merged,
          count(*) filter (where status = 'active' and not ${kind}) as other_kind,
          count(*) filter (where status = 'active' and ${kind} and ${low}) as low_confidence
        from memories where ${ofAgent(scope.agentId)} and ${matches}`.execute(db);
      return rows[0]!;
    },
  };
}

const column = (letter: 'h' | 'd', i: number) => sql.ref(`${letter}${i}`);

const list = (terms: readonly QueryTerm[], part: (i: number) => RawBuilder<unknown>) =>
  sql.join(terms.map((_, i) => part(i)));

/** 0, 1, or more when the word stands in the title. */
const hit = (term: QueryTerm, count: number) => {
  const { anywhere, title } = termQueries(term);
  const inTitle =
    count > TITLES_UP_TO_TERMS ? sql`` : sql`when search @@ ${title}::tsquery then ${TITLE_FACTOR}::float8`;
  return sql`(case ${inTitle} when search @@ ${anywhere}::tsquery then 1 else 0 end)::float8`;
};

const hitColumns = (terms: readonly QueryTerm[]) =>
  sql.join(terms.map((term, i) => sql`${hit(term, terms.length)} as ${column('h', i)}`));

const knownScore = (terms: readonly QueryTerm[], { documents, frequencies }: TermStatistics) =>
  sql.join(
    terms.map(
      (term, i) =>
        sql`${boostOf(term) * inverseFrequency(documents, frequencies[i]!)}::float8 * ${hit(term, terms.length)}`,
    ),
    sql` + `,
  );

const roughScore = (terms: readonly QueryTerm[], documents: number) =>
  sql.join(
    terms.map(
      (term, i) => sql`${boostOf(term)}::float8 * ${column('h', i)}
        * ln(1 + (greatest(${documents}::float8, ${column('d', i)}) - ${column('d', i)} + 0.5) / (${column('d', i)} + 0.5))`,
    ),
    sql` + `,
  );
