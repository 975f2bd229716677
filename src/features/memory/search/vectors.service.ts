import { createHash } from 'node:crypto';
import { joinWrites } from '../../../kernel/async.js';
import { secondsFrom } from '../../../kernel/clock.js';
import { EmbeddingUnavailable, NO_MODEL } from '../../../platform/encoder/embedder.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import type { MemoryDeps } from '../records/memory.record.js';
import { quantise } from './vector-math.js';
import { type MadeVector, type Unembedded, vectorQueue, vectorStore } from './vectors.store.js';

const WRITE_MS = 300;
/** With more texts than this in the encoder's queue, a write does not wait. */
const SHORT_QUEUE = 2;
const WAKE_EVERY_MS = 5_000;
/** A few hundred milliseconds of work before the next workspace. */
const CLAIMED_AT_ONCE = 16;
const LEASE_SECONDS = 300;
const REINDEXED_AT_ONCE = 500;
const DROPPED_AT_ONCE = 2000;

/** More than the encoder reads. */
const LONGEST_TEXT = 8000;

interface Written {
  memory_id: string;
  title: string;
  body: string;
}

export const textToEmbed = ({ title, body }: Pick<Written, 'title' | 'body'>): string =>
  `${title}\n${body}`.slice(0, LONGEST_TEXT).toWellFormed();

/** Must equal the hash that the database computes. */
const hashOf = ({ title, body }: Written): Buffer =>
  createHash('sha256').update(`${title}\n${body}`).digest().subarray(0, 16);

export function createVectorService({
  db,
  clock,
  log,
  embedder,
  wake,
}: Pick<MemoryDeps, 'db' | 'clock' | 'log' | 'embedder'> & { wake(): Promise<void> }) {
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

  /** Vectors written at the same time share a commit. */
  const saveTogether = joinWrites(save);

  /** At most once per interval, because one run of the job embeds everything that waits. */
  async function wakeUp(): Promise<void> {
    if (performance.now() - wokenAt < WAKE_EVERY_MS) return;
    wokenAt = performance.now();
    await wake();
  }

  /** Embeds waiting memories, a few per workspace at a time. */
  async function embedWaiting(signal: AbortSignal): Promise<JobResult> {
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
    /** Embeds a new memory at once if that is quick, otherwise in the background. */
    async embedWritten(brandId: number, memory: Written): Promise<void> {
      if (embedder.modelId === NO_MODEL) return;
      const logWaiting = (error: unknown) => log.warn({ err: error }, 'A memory waits for its vector');
      try {
        if (embedder.waiting <= SHORT_QUEUE) {
          const written = { ...memory, text_hash: hashOf(memory) };
          const [vector] = await make([written], AbortSignal.timeout(WRITE_MS), 'now');
          return await saveTogether(brandId, vector!);
        }
      } catch (error) {
        if (!(error instanceof EmbeddingUnavailable)) logWaiting(error);
      }
      await wakeUp().catch(logWaiting);
    },

    wakeUp,

    /** Reindexes memories that an older version wrote, drops vectors of other models, and embeds what has no vector. */
    async tend(signal: AbortSignal): Promise<JobResult> {
      const queue = vectorQueue(db);
      while (!signal.aborted && (await queue.reindex(REINDEXED_AT_ONCE)) > 0);
      await queue.forgetRemovals();
      if (embedder.modelId === NO_MODEL) return { processed: 0, failed: 0 };
      while (!signal.aborted && (await queue.dropOtherModels(embedder.modelId, DROPPED_AT_ONCE)) > 0);
      return embedWaiting(signal);
    },
  };
}
