import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../../kernel/log.js';
import { type Embedder, EmbeddingUnavailable, NO_MODEL } from '../../../platform/encoder/embedder.js';
import { ACTIVE, type AgentIndex } from './agent-index.js';
import type { Matches } from './matches.js';
import type { Question } from './query-terms.js';
import type { Meaning } from './ranking.js';
import { askFor, cosinesOf } from './vector-math.js';

const QUESTION_MS = 3_000;
/** How long the encoder may take to load on a slow machine. */
const START_MS = 30_000;
/** How long the first question waits for a sleeping encoder. */
const WAKE_MS = 250;
/** How long searches use words alone after a failure. */
const REST_MS = 10_000;
/** About 2 MB. */
const MOST_CACHED = 1000;
/** A name in more than this share of the titles does not distinguish memories. */
const COMMON_NAME = 0.1;
/** The lowest similarity of a memory that shares no word with the query. */
const LEAST = { question: 0.2, keywords: 0.4 };

export function createMeanings({ embedder, log }: { embedder: Embedder; log: Log }) {
  const remembered = new LRUCache<string, Float32Array>({ max: MOST_CACHED });
  let restingUntil = 0;
  let waking = false;

  async function encode(texts: string[], withinMs: number): Promise<Float32Array | undefined> {
    try {
      const vector = meanOf(await embedder.embed(texts, AbortSignal.timeout(withinMs), 'now'));
      remembered.set(texts.join('\n'), vector);
      return vector;
    } catch (error) {
      if (!(error instanceof EmbeddingUnavailable)) throw error;
      restingUntil = performance.now() + REST_MS;
      log.warn({ err: error }, 'Search goes by words alone');
      return undefined;
    }
  }

  /** Starts the encoder and waits briefly. Searches in the meantime use words alone. */
  async function wake(texts: string[]): Promise<Float32Array | undefined> {
    waking = true;
    const encoded = encode(texts, START_MS).finally(() => {
      waking = false;
    });
    return Promise.race([encoded, setTimeout(WAKE_MS, undefined, { ref: false })]);
  }

  async function ask(texts: string[]): Promise<Float32Array | undefined> {
    const known = remembered.get(texts.join('\n'));
    if (known) return known;
    if (waking || performance.now() < restingUntil) return undefined;
    return embedder.asleep ? wake(texts) : encode(texts, QUESTION_MS);
  }

  return {
    /** Undefined when there are no vectors or the encoder does not answer in time. */
    async find(index: AgentIndex, question: Question, matches: Matches): Promise<Meaning | undefined> {
      const { vectors } = index;
      if (embedder.modelId === NO_MODEL || vectors.count === 0) return undefined;
      const asked = await ask(textsOf(index, question, matches));
      if (asked?.length !== vectors.dimensions) return undefined;
      return {
        compare() {
          const { scales, values } = vectors;
          const cosines = cosinesOf(askFor(asked), values, scales, index.documents.ids.list.length);
          return (number) => (scales[number] === 0 ? undefined : cosines[number]);
        },
        least: question.keywords ? LEAST.keywords : LEAST.question,
      };
    },
  };
}

/** The mean of two cosines equals the cosine with the mean vector. */
function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]!.length);
  for (const vector of vectors)
    for (let i = 0; i < mean.length; i += 1) mean[i] = mean[i]! + vector[i]! / vectors.length;
  return mean;
}

/** The question, and the question without common names. */
function textsOf(index: AgentIndex, { text, terms }: Question, matches: Matches): string[] {
  if (!terms.some(({ entity }) => entity)) return [text];
  const inTitles = countInTitles(index, matches);
  const common = new Set(
    terms.flatMap(({ entity, word }, i) => (entity && inTitles[i]! >= COMMON_NAME ? [word] : [])),
  );
  const rest = common.size === 0 ? text : withoutWords(text, common);
  return rest.trim() === '' || rest === text ? [text] : [text, rest];
}

/** The share of titles that contain each term. */
function countInTitles({ documents }: AgentIndex, matches: Matches): number[] {
  let active = 0;
  for (let number = 0; number < documents.ids.list.length; number += 1)
    if (documents.status[number] === ACTIVE) active += 1;
  const counts = matches.frequencies.map(() => 0);
  matches.documents.forEach((number, place) => {
    if (documents.status[number] !== ACTIVE) return;
    for (let hit = matches.starts[place]!; hit < matches.starts[place + 1]!; hit += 1)
      if (matches.inTitle[hit]) counts[matches.terms[hit]!] = counts[matches.terms[hit]!]! + 1;
  });
  return counts.map((count) => count / Math.max(1, active));
}

const WORD = /[\p{L}\p{N}_]+(?:['’]s\b)?/gu;

const withoutWords = (text: string, words: ReadonlySet<string>): string =>
  text
    .replace(WORD, (word) => (words.has(word.toLowerCase().replace(/['’]s$/, '')) ? '' : word))
    .replace(/\s+/g, ' ')
    .trim();
