import { createHash } from 'node:crypto';
import { type Clock, secondsFrom } from '../../../kernel/clock.js';
import { joinWrites } from '../../../kernel/joined-writes.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import { type Embedder, EmbeddingUnavailable, NO_MODEL } from '../../../platform/encoder/embedder.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { quantise } from './vector-bytes.js';
import { type MadeVector, type Unembedded, vectorQueue, vectorStore } from './vectors.store.js';

export interface VectorDeps {
  db: Db;
  clock: Clock;
  log: Log;
  embedder: Embedder;
  /** Asks for a pass in the background. */
  wake(): Promise<void>;
}

/** What a write waits for its vector at most. */
const WRITE_MS = 300;
/** With more than this in line a write does not wait at all. */
const SHORT_LINE = 2;
const WAKE_EVERY_MS = 5_000;
/** Some hundred milliseconds of work: then the next workspace has its turn. */
const CLAIMED_AT_ONCE = 16;
const LEASE_SECONDS = 300;
const REINDEXED_AT_ONCE = 500;
const DROPPED_AT_ONCE = 2000;

/** More than an encoder hears. */
const LONGEST_TEXT = 8000;

interface Written {
  memory_id: string;
  title: string;
  body: string;
}

export const textToEmbed = ({ title, body }: Pick<Written, 'title' | 'body'>): string =>
  `${title}\n${body}`.slice(0, LONGEST_TEXT).toWellFormed();

/** As the database does it. */
const hashOf = ({ title, body }: Written): Buffer =>
  createHash('sha256').update(`${title}\n${body}`).digest().subarray(0, 16);

/** Gives every memory the numbers that say what it means. */
export function createVectorService({ db, clock, log, embedder, wake }: VectorDeps) {
  let wokenAt = Number.NEGATIVE_INFINITY;

  async function make(
    memories: readonly Unembedded[],
    signal: AbortSignal,
    when: 'now' | 'later',
  ): Promise<MadeVector[]> {
    const made = await embedder.embed(memories.map(textToEmbed), signal, when);
    return memories.map(({ memory_id: memoryId, text_hash: textHash }, i) => ({
      memoryId,
      textHash,
      dimensions: made[i]!.length,
      bytes: quantise(made[i]!),
    }));
  }

  const save = (brandId: number, vectors: readonly MadeVector[]) =>
    vectorStore(db, brandId).save(embedder.modelId, vectors);

  /** Many agents write at once: their vectors share a commit. */
  const saveTogether = joinWrites(save);

  /** One call a while is enough: a pass takes everything that waits. */
  async function wakeUp(): Promise<void> {
    if (performance.now() - wokenAt < WAKE_EVERY_MS) return;
    wokenAt = performance.now();
    await wake();
  }

  /** Makes the vectors of what waits, a few memories of each workspace in turn. */
  async function embedWaiting(signal: AbortSignal): Promise<PassResult> {
    const result = { processed: 0, failed: 0 };
    const queue = vectorQueue(db);
    for (let brandId = 0; !signal.aborted; ) {
      const now = clock.now();
      const leaseEnds = secondsFrom(now, -LEASE_SECONDS);
      const next = await queue.findWaitingBrand(brandId, leaseEnds);
      if (next === undefined && brandId === 0) break;
      brandId = next ?? 0;
      if (next === undefined) continue;
      const memories = await vectorStore(db, brandId).claim(now, leaseEnds, CLAIMED_AT_ONCE);
      if (memories.length === 0) continue;
      try {
        await save(brandId, await make(memories, signal, 'later'));
        result.processed += memories.length;
      } catch (error) {
        await vectorStore(db, brandId).release(memories.map(({ memory_id }) => memory_id));
        if (!(error instanceof EmbeddingUnavailable)) throw error;
        log.warn({ err: error }, 'Memories wait for their vectors');
        result.failed += memories.length;
        break;
      }
    }
    return result;
  }

  return {
    /** The vector of a memory that was just written, if it takes no time to speak of; else it comes in the background. */
    async embedWritten(brandId: number, memory: Written): Promise<void> {
      if (embedder.modelId === NO_MODEL) return;
      const tellWaiting = (error: unknown) => log.warn({ err: error }, 'A memory waits for its vector');
      try {
        if (embedder.waiting <= SHORT_LINE) {
          const written = { ...memory, text_hash: hashOf(memory) };
          const [vector] = await make([written], AbortSignal.timeout(WRITE_MS), 'now');
          return await saveTogether(brandId, vector!);
        }
      } catch (error) {
        if (!(error instanceof EmbeddingUnavailable)) tellWaiting(error);
      }
      await wakeUp().catch(tellWaiting);
    },

    wakeUp,

    /** Brings older memories into the present form, drops the vectors of other models, and makes those that are missing. */
    async tend(signal: AbortSignal): Promise<PassResult> {
      const queue = vectorQueue(db);
      while (!signal.aborted && (await queue.reindex(REINDEXED_AT_ONCE)) > 0);
      await queue.forgetRemovals();
      if (embedder.modelId === NO_MODEL) return { processed: 0, failed: 0 };
      while (!signal.aborted && (await queue.dropOtherModels(embedder.modelId, DROPPED_AT_ONCE)) > 0);
      return embedWaiting(signal);
    },
  };
}
