import { LRUCache } from 'lru-cache';
import { KINDS, type Kind, type MemoryDeps, type MemoryItem, toItem } from '../records/memory.record.js';
import { memoryStore } from '../records/memory.store.js';
import type { AgentIndex } from './agent-index.js';
import { createIndexCache } from './index-cache.js';
import { findMatches, guessWords } from './matches.js';
import { createMeanings } from './meaning.js';
import { type Question, readQuestion, relateStems, VERB_FORMS } from './query-terms.js';
import { countLeftOut, findReturnable, listTop, type Ranked, type Returnable, rank } from './ranking.js';
import { rerank } from './rerank.js';
import { type SearchScope, searchStore } from './search.store.js';
import { createSimilarFinder } from './similar.js';
import {
  type Attempt,
  type Found,
  findByGuesses,
  findByMeaning,
  findByWords,
  findWithoutWords,
} from './tries.js';

export interface SearchRequest {
  agentId: string;
  query: string | undefined;
  kinds: readonly Kind[];
  limit: number;
  explain: boolean;
  /** Words or meaning alone, for the benchmark that compares them. */
  by?: 'words' | 'meaning';
}

const RECALL_CANDIDATES = 100;
const MOST_GUESSED_WORDS = 6;
const LONGEST_REMEMBERED = 500;

export function createSearchService(deps: Pick<MemoryDeps, 'db' | 'clock' | 'log' | 'model' | 'embedder'>) {
  const { db, clock, log, model, embedder } = deps;
  const indexes = createIndexCache({ db, model: embedder.modelId });
  const meanings = createMeanings({ embedder, log });
  /** Agents repeat their questions, and the analysis of a question never changes. */
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

  /** In the order of the ids, without memories that were deleted meanwhile. */
  async function listItems(brandId: number, ids: readonly string[]): Promise<MemoryItem[]> {
    const now = clock.now();
    return (await memoryStore(db, brandId).listByIds(ids, now)).map((row) => toItem(row, now));
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
    return index.documents.ids.list.length === 0 ? [] : storeOf(brandId).findBySubstring(scope, text, limit);
  }

  async function answer(
    brandId: number,
    request: SearchRequest,
    scope: SearchScope,
    { index, found }: { index: AgentIndex; found: Found },
    ids: string[],
  ) {
    const listed = await listItems(brandId, ids);
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

  /** Returns the ids of memories of any status that say nearly the same, nearest first. */
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
    findSimilar: createSimilarFinder({ ...deps, indexes, findLike, listItems }),

    async search(brandId: number, request: SearchRequest) {
      const scope = scopeOf(request);
      const result = await find(brandId, scope, request);
      return answer(brandId, request, scope, result, result.found.ids);
    },

    /** Reranks up to 100 matches with the model. Keeps the text order when the model fails. */
    async recall(brandId: number, request: SearchRequest & { query: string }, signal?: AbortSignal) {
      const scope = scopeOf(request);
      const result = await find(brandId, scope, { ...request, limit: RECALL_CANDIDATES });
      const candidates = (await listItems(brandId, result.found.ids)).map(({ id, kind, title, body }) => ({
        id,
        kind,
        title,
        body,
      }));
      const { items: best, order } = await rerank(model, request.query, candidates, { log, signal });
      const ids = best.slice(0, request.limit).map(({ id }) => id);
      return { order, answer: await answer(brandId, request, scope, result, ids) };
    },
  };
}

const returnableIn = ({ kinds, now }: SearchScope): Returnable => ({
  kinds: new Set(kinds.map((kind) => 1 + KINDS.indexOf(kind))),
  now,
});

function explainSearch(index: AgentIndex, { matches, terms, tried }: Found, scope: SearchScope) {
  const numbers =
    matches?.documents ?? Array.from({ length: index.documents.ids.list.length }, (_, number) => number);
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
