import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { type Embedder, EmbeddingUnavailable, NO_MODEL } from '../../../platform/encoder/embedder.js';
import { ACTIVE, type AgentIndex, idOf, numberOf } from './agent-index.js';
import { type Comparable, sharedWords } from './duplicates.js';
import type { IndexCache } from './index-cache.js';
import type { createItemMemory } from './remembered-items.js';
import { askFor, cosinesOf } from './vector-bytes.js';
import { textToEmbed } from './vectors.service.js';

export interface SimilarMemory {
  memory_id: string;
  title: string;
  /** The cosine of both; without a vector the share of their words that both have. */
  similarity: number;
}

/** Measured: repetitions and contradictions lie above, of 300 memories of one project no two others do. */
const LEAST_COSINE = 0.7;
const LEAST_SHARE = 0.5;
const MOST_SIMILAR = 3;
const MOST_COMPARED = 10;
/** So much of a text decides whether it says the same. */
const COMPARED_CHARACTERS = 8000;
const EMBED_MS = 1_000;

interface SimilarDeps {
  clock: Clock;
  log: Log;
  embedder: Embedder;
  indexes: IndexCache;
  items: ReturnType<typeof createItemMemory>;
  findLike(brandId: number, agentId: string, text: string, limit: number): Promise<string[]>;
}

/** Finds the active memories of an agent that a new one repeats or contradicts. */
export function createSimilarFinder({ clock, log, embedder, indexes, items, findLike }: SimilarDeps) {
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
    const found = await items.list(brandId, index, [...ids], clock.now());
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
  const cosines = cosinesOf(askFor(asked), values, scales, documents.ids.size);
  return (number) => (scales[number] ? cosines[number] : undefined);
}

function listNearest(index: AgentIndex, cosineOf: CosineOf): string[] {
  const near: { number: number; cosine: number }[] = [];
  for (let number = 0; number < index.documents.ids.size; number += 1) {
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

/** 0 where they are not alike. */
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
