import { EmbeddingUnavailable, NO_MODEL } from '../../../platform/encoder/embedder.js';
import type { MemoryDeps } from '../records/memory.record.js';
import { ACTIVE, type AgentIndex, idOf, numberOf } from './agent-index.js';
import type { IndexCache } from './index-cache.js';
import { askFor, cosinesOf } from './vector-math.js';
import { textToEmbed } from './vectors.service.js';

export interface SimilarMemory {
  memory_id: string;
  title: string;
  /** Cosine similarity; without a vector, the share of common words. */
  similarity: number;
}

/** Measured on 300 memories of one project: only repetitions and contradictions are above this. */
const LEAST_COSINE = 0.7;
const LEAST_SHARE = 0.5;
const MOST_SIMILAR = 3;
const MOST_COMPARED = 10;
const COMPARED_CHARACTERS = 8000;
const EMBED_MS = 1_000;

interface SimilarDeps extends Pick<MemoryDeps, 'log' | 'embedder'> {
  indexes: IndexCache;
  listItems(brandId: number, ids: readonly string[]): Promise<(Comparable & { id: string })[]>;
  findLike(brandId: number, agentId: string, text: string, limit: number): Promise<string[]>;
}

export function createSimilarFinder({ log, embedder, indexes, findLike, listItems }: SimilarDeps) {
  async function embed(memory: Comparable): Promise<Float32Array | undefined> {
    if (embedder.modelId === NO_MODEL) return undefined;
    try {
      return (await embedder.embed([textToEmbed(memory)], AbortSignal.timeout(EMBED_MS), 'now'))[0];
    } catch (error) {
      if (!(error instanceof EmbeddingUnavailable)) throw error;
      log.warn({ err: error }, 'A memory is compared with others by words alone');
      return undefined;
    }
  }

  return async (brandId: number, agentId: string, memory: Comparable): Promise<SimilarMemory[]> => {
    const text = `${memory.title} ${memory.body.slice(0, COMPARED_CHARACTERS)}`;
    const [asked, alike] = await Promise.all([
      embed(memory),
      findLike(brandId, agentId, text, MOST_COMPARED),
    ]);
    const index = await indexes.read(brandId, agentId);
    const cosineOf = compare(index, asked);
    const ids = new Set([...listNearest(index, cosineOf), ...alike.filter((id) => isActive(index, id))]);
    const found = await listItems(brandId, [...ids]);
    return found
      .map(({ id, title, body }) => ({
        memory_id: id,
        title,
        similarity: likeness(memory, { title, body }, cosineOf(numberOf(index.documents, id))),
      }))
      .filter(({ similarity }) => similarity > 0)
      .sort((a, b) => b.similarity - a.similarity || (a.memory_id < b.memory_id ? 1 : -1))
      .slice(0, MOST_SIMILAR);
  };
}

type CosineOf = (number: number) => number | undefined;

function compare({ vectors, documents }: AgentIndex, asked: Float32Array | undefined): CosineOf {
  const { scales, values, dimensions, count } = vectors;
  if (!asked || count === 0 || asked.length !== dimensions) return () => undefined;
  const cosines = cosinesOf(askFor(asked), values, scales, documents.ids.list.length);
  return (number) => (scales[number] ? cosines[number] : undefined);
}

function listNearest(index: AgentIndex, cosineOf: CosineOf): string[] {
  const near: { number: number; cosine: number }[] = [];
  for (let number = 0; number < index.documents.ids.list.length; number += 1) {
    const cosine = cosineOf(number);
    if (cosine !== undefined && cosine >= LEAST_COSINE && index.documents.status[number] === ACTIVE)
      near.push({ number, cosine });
  }
  return near
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, MOST_COMPARED)
    .map(({ number }) => idOf(index, number));
}

const isActive = (index: AgentIndex, id: string): boolean => {
  const number = numberOf(index.documents, id);
  return number >= 0 && index.documents.status[number] === ACTIVE;
};

/** Returns 0 when they are not similar. */
function likeness(one: Comparable, other: Comparable, cosine: number | undefined): number {
  if (one.title === other.title && one.body === other.body) return 1;
  if (cosine !== undefined) return cosine >= LEAST_COSINE ? round(Math.min(cosine, 1)) : 0;
  const share = sharedWords(shortened(one), shortened(other));
  return share >= LEAST_SHARE ? round(share) : 0;
}

const shortened = ({ title, body }: Comparable): Comparable => ({
  title,
  body: body.slice(0, COMPARED_CHARACTERS),
});

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

/** The share of common words from which two memories are the same. */
const SAME_SHARE = 0.8;

export interface Comparable {
  title: string;
  body: string;
}

/** Normalizing a very long run of accents takes quadratic time. */
const LONGEST_WORD = 64;

const wordsOf = ({ title, body }: Comparable): Set<string> =>
  new Set(
    (`${title} ${body}`.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])
      .map(foldAccents)
      .filter((word) => word !== ''),
  );

const foldAccents = (word: string): string =>
  /^[\0-\x7f]+$/.test(word)
    ? word
    : word
        .slice(0, LONGEST_WORD)
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '');

/** Numbers and negations turn a near-repetition into another statement. */
const TELLING = /^(?:\p{N}.*|not?|never|none|without|cannot|don|doesn|isn|won|stop|stopped|off|on|instead)$/u;

const differInMeaning = (a: Set<string>, b: Set<string>): boolean =>
  [...a].some((word) => TELLING.test(word) && !b.has(word)) ||
  [...b].some((word) => TELLING.test(word) && !a.has(word));

export const isSameMemory = (a: Comparable, b: Comparable): boolean => sameAs(a)(b);

function sameAs(memory: Comparable): (other: Comparable) => boolean {
  const words = wordsOf(memory);
  return (other) => {
    const others = wordsOf(other);
    if (words.size === 0 || others.size === 0)
      return memory.title === other.title && memory.body === other.body;
    return !differInMeaning(words, others) && shareOf(words, others) >= SAME_SHARE;
  };
}

function shareOf(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of words) if (others.has(word)) shared += 1;
  return shared / Math.max(1, words.size + others.size - shared);
}

export const sharedWords = (one: Comparable, other: Comparable): number =>
  shareOf(wordsOf(one), wordsOf(other));

export const findSame = <T extends Comparable>(memory: Comparable, known: readonly T[]): T | undefined =>
  known.find(sameAs(memory));
