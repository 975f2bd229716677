import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { Embedder } from '../../../platform/encoder/embedder.js';
import type { ModelClient } from '../../../platform/model/model.js';
import { KINDS, type Kind, type MemoryItem } from '../records/memory.record.js';
import type { AgentIndex } from './agent-index.js';
import { createIndexCache } from './index-cache.js';
import { findMatches } from './matches.js';
import { createMeanings } from './meaning.js';
import { type Question, readQuestion } from './query-terms.js';
import type { Ranked } from './ranking.js';
import { rank } from './ranking.js';
import { createItemMemory } from './remembered-items.js';
import { rerank } from './rerank.js';
import { type SearchScope, searchStore } from './search.store.js';
import { createSimilarFinder } from './similar.js';
import { countLeftOut, findReturnable, listTop, type Returnable } from './standing.js';
import {
  type Attempt,
  type Found,
  findByGuesses,
  findByMeaning,
  findByWords,
  findWithoutWords,
} from './tries.js';
import { guessWords } from './typos.js';
import { relateStems, VERB_FORMS } from './verb-forms.js';

export interface SearchRequest {
  agentId: string;
  query: string | undefined;
  kinds: readonly Kind[];
  limit: number;
  explain: boolean;
  /** By words or by meaning alone, to compare them. */
  by?: 'words' | 'meaning';
}

const RECALL_CANDIDATES = 100;
const MOST_GUESSED_WORDS = 6;
const LONGEST_REMEMBERED = 500;

export function createSearchService(deps: {
  db: Db;
  clock: Clock;
  log: Log;
  model: ModelClient | undefined;
  embedder: Embedder;
}) {
  const { db, clock, log, model, embedder } = deps;
  const indexes = createIndexCache({ db, model: embedder.modelId });
  const meanings = createMeanings({ embedder, log });
  const items = createItemMemory(db);
  /** What the database's dictionaries make of a question never changes, and agents ask the same ones again. */
  const questions = new LRUCache<string, Question>({ max: 1000 });
  let verbs: Map<string, string[]> | undefined;

  const storeOf = (brandId: number) => searchStore(db, brandId, embedder.modelId);

  async function read(brandId: number, text: string): Promise<Question> {
    const known = questions.get(text);
    if (known) return known;
    const [analysed, related] = await Promise.all([storeOf(brandId).analyse(text), relatedVerbs(brandId)]);
    const question = readQuestion(analysed, related);
    if (text.length <= LONGEST_REMEMBERED) questions.set(text, question);
    return question;
  }

  async function relatedVerbs(brandId: number): Promise<Map<string, string[]>> {
    verbs ??= relateStems(await storeOf(brandId).stemWords(VERB_FORMS.flat()));
    return verbs;
  }

  async function find(
    brandId: number,
    scope: SearchScope,
    { query, limit, by }: Pick<SearchRequest, 'query' | 'limit' | 'by'>,
  ): Promise<{ index: AgentIndex; found: Found }> {
    const text = (query ?? '').trim();
    const [index, question] = await Promise.all([
      indexes.read(brandId, scope.agentId),
      text === '' ? undefined : read(brandId, text),
    ]);
    const returnable = returnableIn(scope);
    if (!question) {
      const ids = listTop(index, returnable, limit);
      return { index, found: { ids, ranked: new Map(), terms: [], matches: undefined, tried: 'top' } };
    }
    const matches = findMatches(index, question.terms);
    const attempt: Attempt = {
      index,
      findConfidence: (number) => findReturnable(index, number, returnable),
      meaning: by === 'words' ? undefined : await meanings.find(index, question, matches),
      limit,
    };
    const found =
      by === 'meaning'
        ? findByMeaning(attempt, question)
        : (findByWords(attempt, question, matches) ??
          (await findMisspelt(brandId, attempt, question)) ??
          findWithoutWords(
            attempt,
            question,
            matches,
            await listWithText(brandId, index, scope, question, limit),
          ));
    return { index, found };
  }

  /** Words that look like the ones asked for, as if they had been typed right. */
  async function findMisspelt(
    brandId: number,
    attempt: Attempt,
    { terms }: Question,
  ): Promise<Found | undefined> {
    const asked = terms.filter(({ part }) => !part).slice(0, MOST_GUESSED_WORDS);
    const text = asked.flatMap(({ word }) => guessWords(word, attempt.index)).join(' ');
    if (text === '') return undefined;
    const guessed = readQuestion(await storeOf(brandId).analyse(text));
    return findByGuesses(attempt, guessed.terms);
  }

  async function listWithText(
    brandId: number,
    index: AgentIndex,
    scope: SearchScope,
    { text }: Question,
    limit: number,
  ): Promise<string[]> {
    return index.documents.ids.size === 0 ? [] : storeOf(brandId).findBySubstring(scope, text, limit);
  }

  async function answer(
    brandId: number,
    request: SearchRequest,
    scope: SearchScope,
    { index, found }: { index: AgentIndex; found: Found },
    ids: string[],
  ) {
    const listed = await items.list(brandId, index, ids, scope.now);
    const memories: (MemoryItem & { explain?: ReturnType<typeof explainItem> })[] = request.explain
      ? listed.map((item) => ({ ...item, explain: explainItem(found.ranked.get(item.id)) }))
      : listed;
    return {
      memories,
      count: memories.length,
      agent_id: request.agentId,
      ...(request.explain && { explain: explainSearch(index, found, scope) }),
    };
  }

  const scopeOf = (request: SearchRequest): SearchScope => ({
    agentId: request.agentId,
    kinds: request.kinds.length === 0 ? KINDS : request.kinds,
    now: clock.now(),
  });

  /** Memories of any status that say nearly the same, most alike first. */
  async function findLike(brandId: number, agentId: string, text: string, limit: number): Promise<string[]> {
    const [index, analysed] = await Promise.all([
      indexes.read(brandId, agentId),
      storeOf(brandId).analyse(text),
    ]);
    const terms = readQuestion(analysed).terms.map((term) => ({ ...term, prefix: false }));
    const alike = rank(index, findMatches(index, terms), {
      findConfidence: (number) => (index.documents.status[number] === 0 ? undefined : 0),
      terms,
      wordsFirst: 'no',
      limit,
      meaning: undefined,
    });
    return alike.map(({ id }) => id);
  }

  return {
    findLike,
    findSimilar: createSimilarFinder({ ...deps, indexes, items, findLike }),

    async search(brandId: number, request: SearchRequest) {
      const scope = scopeOf(request);
      const result = await find(brandId, scope, request);
      return answer(brandId, request, scope, result, result.found.ids);
    },

    /** The best of a hundred matches by the model's order, or by their own when the model gives none. */
    async recall(brandId: number, request: SearchRequest & { query: string }, signal?: AbortSignal) {
      const scope = scopeOf(request);
      const result = await find(brandId, scope, { ...request, limit: RECALL_CANDIDATES });
      const found = await items.list(brandId, result.index, result.found.ids, scope.now);
      const candidates = found.map(({ id, kind, title, body }) => ({ id, kind, title, body }));
      const { items: best, order } = await rerank(model, request.query, candidates, { log, signal });
      const ids = best.slice(0, request.limit).map(({ id }) => id);
      // The model takes its time: what was deleted meanwhile is not answered.
      const index = await indexes.read(brandId, request.agentId);
      return { order, answer: await answer(brandId, request, scope, { ...result, index }, ids) };
    },
  };
}

const returnableIn = ({ kinds, now }: SearchScope): Returnable => ({
  kinds: new Set(kinds.map((kind) => 1 + KINDS.indexOf(kind))),
  now,
});

function explainSearch(index: AgentIndex, { matches, terms, tried }: Found, scope: SearchScope) {
  const numbers =
    matches?.documents ?? Array.from({ length: index.documents.ids.size }, (_, number) => number);
  return {
    tried,
    terms: terms.map(({ word, stem, prefix, entity }) => ({ word, stem: stem ?? null, prefix, entity })),
    left_out: countLeftOut(index, numbers, returnableIn(scope)),
  };
}

const explainItem = (ranked: Ranked | undefined) => ({
  match: ranked?.match ?? null,
  score: ranked?.score ?? null,
  words: { value: ranked?.words ?? null, weight: ranked?.weights.words ?? 0 },
  meaning: { value: ranked?.meaning ?? null, weight: ranked?.weights.meaning ?? 0 },
  names: { value: ranked?.names ?? null, weight: ranked?.weights.names ?? 0 },
  terms: ranked?.terms ?? [],
});
