import { LRUCache } from 'lru-cache';
import type { Db } from '../../../database/database.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { ModelClient } from '../../../services/model.js';
import { KINDS, type Kind, toItem } from '../memory.record.js';
import { memoryStore } from '../memory.store.js';
import { type AnalysedQuery, type QueryTerm, readQueryTerms } from './query-terms.js';
import { type Ranked, rankCandidates } from './ranking.js';
import { rerank } from './rerank.js';
import { MOST_COUNTED, type SearchScope, searchStore } from './search.store.js';
import { guessWords } from './typos.js';
import { relateStems, VERB_FORMS } from './verb-forms.js';
import { isCommon, statisticsOf, WordStatistics } from './word-statistics.js';

export interface SearchRequest {
  agentId: string;
  query: string | undefined;
  kinds: readonly Kind[];
  limit: number;
  explain: boolean;
}

interface Found {
  ids: string[];
  ranked: Map<string, Ranked>;
  terms: QueryTerm[] | undefined;
  /** Which try found them. */
  tried: 'top' | 'words' | 'prefixes' | 'typos' | 'substring';
}

const RECALL_CANDIDATES = 100;
const MOST_GUESSED_WORDS = 6;
/** So many are rescored exactly; beyond them no memory has a chance. */
const FEWEST_CANDIDATES = 80;
const LONGEST_REMEMBERED = 500;

export function createSearchService(deps: {
  db: Db;
  clock: Clock;
  log: Log;
  model: ModelClient | undefined;
}) {
  const { db, clock, log, model } = deps;
  const statistics = new WordStatistics();
  /** What the database's dictionaries make of a question never changes, and agents ask the same ones again. */
  const analyses = new LRUCache<string, AnalysedQuery>({ max: 1000 });
  let verbs: Map<string, string[]> | undefined;

  async function analyse(brandId: number, text: string): Promise<AnalysedQuery> {
    const known = analyses.get(text);
    if (known) return known;
    const analysed = await searchStore(db, brandId).analyse(text);
    if (text.length <= LONGEST_REMEMBERED) analyses.set(text, analysed);
    return analysed;
  }

  async function relatedVerbs(brandId: number): Promise<Map<string, string[]>> {
    verbs ??= relateStems(await searchStore(db, brandId).stemWords(VERB_FORMS.flat()));
    return verbs;
  }

  /** Words first; beginnings of words, typing errors and plain text only when they found nothing. */
  async function find(brandId: number, scope: SearchScope, query: string, limit: number): Promise<Found> {
    const store = searchStore(db, brandId);
    if (query === '')
      return { ids: await store.listTop(scope, limit), ranked: new Map(), terms: undefined, tried: 'top' };
    const key = `${brandId}:${scope.agentId}`;
    const loadWords = () => store.loadWords(scope.agentId);
    const words = statistics.find(key, loadWords);
    const [analysed, documents, related] = await Promise.all([
      analyse(brandId, query),
      words?.documents ?? store.countDocuments(scope.agentId),
      relatedVerbs(brandId),
    ]);
    if (!words && documents >= MOST_COUNTED) statistics.want(key, loadWords);
    const terms = readQueryTerms(analysed, related).map((term) =>
      words && isCommon(words, term) ? { ...term, prefix: false } : term,
    );

    const byTerms = async (asked: QueryTerm[], tried: Found['tried']): Promise<Found | undefined> => {
      if (asked.length === 0) return undefined;
      const most = Math.max(FEWEST_CANDIDATES, 2 * limit);
      const found =
        words && asked.every(({ prefix, stem }) => !prefix && stem !== undefined)
          ? await store.findCandidatesKnowing(scope, asked, statisticsOf(words, asked), most)
          : await store.findCandidates(scope, asked, documents, most);
      if (found.candidates.length === 0) return undefined;
      const ranked = rankCandidates(found.candidates, asked, found.statistics).slice(0, limit);
      return {
        ids: ranked.map(({ id }) => id),
        ranked: new Map(ranked.map((item) => [item.id, item])),
        terms: asked,
        tried,
      };
    };
    const byPrefixes = async () =>
      terms.every(({ prefix }) => prefix)
        ? undefined
        : byTerms(
            terms.map((term) => ({ ...term, prefix: true })),
            'prefixes',
          );
    const byGuesses = async () => {
      const guesses = await Promise.all(
        terms
          .slice(0, MOST_GUESSED_WORDS)
          .map(async ({ word }) => guessWords(word, await store.listSimilarWords(scope, word))),
      );
      const text = guesses.flat().join(' ');
      return text === ''
        ? undefined
        : byTerms(
            readQueryTerms(await store.analyse(text)).map((term) => ({ ...term, prefix: false })),
            'typos',
          );
    };

    return (
      (await byTerms(terms, 'words')) ??
      (documents === 0 ? undefined : ((await byPrefixes()) ?? (await byGuesses()))) ?? {
        ids: documents === 0 ? [] : await store.findBySubstring(scope, query, limit),
        ranked: new Map(),
        terms,
        tried: 'substring',
      }
    );
  }

  async function answer(
    brandId: number,
    request: SearchRequest,
    scope: SearchScope,
    found: Found,
    ids: string[],
  ) {
    const rows = await memoryStore(db, brandId).listByIds(ids, scope.now);
    const memories = rows.map((row) => ({
      ...toItem(row, scope.now),
      ...(request.explain && { explain: explainItem(found.ranked.get(row.memory_id)) }),
    }));
    const explain = request.explain && {
      explain: {
        tried: found.tried,
        terms: (found.terms ?? []).map(({ word, stem, prefix, entity }) => ({
          word,
          stem: stem ?? null,
          prefix,
          entity,
        })),
        left_out: await searchStore(db, brandId).countLeftOut(scope, found.terms),
      },
    };
    return { memories, count: memories.length, agent_id: request.agentId, ...explain };
  }

  const scopeOf = (request: SearchRequest): SearchScope => ({
    agentId: request.agentId,
    kinds: request.kinds.length === 0 ? KINDS : request.kinds,
    now: clock.now(),
  });

  return {
    async search(brandId: number, request: SearchRequest) {
      const scope = scopeOf(request);
      const found = await find(brandId, scope, (request.query ?? '').trim(), request.limit);
      return answer(brandId, request, scope, found, found.ids);
    },

    /** The best of a hundred text matches by the model's order, or by their own when the model gives none. */
    async recall(brandId: number, request: SearchRequest & { query: string }, signal?: AbortSignal) {
      const scope = scopeOf(request);
      const found = await find(brandId, scope, request.query.trim(), RECALL_CANDIDATES);
      const rows = await memoryStore(db, brandId).listByIds(found.ids, scope.now);
      const candidates = rows.map(({ memory_id, kind, title, body }) => ({
        id: memory_id,
        kind,
        title,
        body,
      }));
      const { items, order } = await rerank(model, request.query, candidates, { log, signal });
      const ids = items.slice(0, request.limit).map(({ id }) => id);
      return { order, answer: await answer(brandId, request, scope, found, ids) };
    },
  };
}

const explainItem = (ranked: Ranked | undefined) => ({
  match: ranked?.match ?? null,
  score: ranked?.score ?? null,
  terms: ranked?.terms ?? [],
});
