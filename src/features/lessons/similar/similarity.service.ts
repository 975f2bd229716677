import type { Log } from '../../../kernel/log.js';
import { rememberRecent } from '../../../platform/cache/cache.js';
import type { Db } from '../../../platform/database/database.js';
import { bytesToVector, dotProduct, vectorToBytes } from '../../../platform/encoder/cosine.js';
import type { Embedder } from '../../../platform/encoder/embedder.js';
import { EmbeddingUnavailable } from '../../../platform/encoder/embedder.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { hashOf, textsOf } from '../files/lesson-file.js';
import { blankText } from '../lessons.errors.js';
import type { DuplicateView, SimilarAnswer, SimilarQuestion } from '../lessons.schemas.js';
import { type ComparableLesson, embeddingQueue, similarityStore } from './similarity.store.js';

const MOST_CACHED = 20_000;
const MOST_COMPARED_TEXT = 8000;
const DUPLICATE_THRESHOLD = 0.9;
const MOST_DUPLICATES = 3;
const FULLY_COMPARED = 25;
/** How many lessons without a vector a duplicate check embeds. */
const MOST_EMBEDDED_IN_CHECK = 64;
const CHECK_MS = 15_000;
const QUESTION_MS = 25_000;
const BATCH = 32;
/** Large, because each listing reads all lessons once. */
const MOST_LISTED = 10_000;

export type SimilarityService = ReturnType<typeof createSimilarityService>;

export interface CheckedLesson {
  id: string;
  projectId: string;
  texts: readonly { hash: string; text: string }[];
}

/** Compares lessons by meaning: exact cosine over vectors that a background job creates. */
export function createSimilarityService({ db, log, embedder }: { db: Db; log: Log; embedder: Embedder }) {
  const vectors = rememberRecent<Float32Array>(MOST_CACHED);

  async function loadVectors(brandId: number, hashes: Iterable<string>): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    const missing: string[] = [];
    const key = (hash: string) => `${brandId} ${embedder.modelId} ${hash}`;
    for (const hash of hashes) {
      const known = vectors.get(key(hash));
      if (known) found.set(hash, known);
      else missing.push(hash);
    }
    for (const row of await similarityStore(db, brandId).readVectors(embedder.modelId, missing)) {
      const vector = bytesToVector(row.vector);
      vectors.set(key(row.text_hash), vector);
      found.set(row.text_hash, vector);
    }
    return found;
  }

  async function findSimilar(brandId: number, question: SimilarQuestion): Promise<SimilarAnswer> {
    const text = question.text.trim().slice(0, MOST_COMPARED_TEXT);
    if (text === '') throw blankText();
    const { k = 3, threshold = 0.9, type = null } = question;
    const lessons = await similarityStore(db, brandId).listComparable(type);
    let asked: Float32Array;
    try {
      [asked] = (await embedder.embed([text], AbortSignal.timeout(QUESTION_MS))) as [Float32Array];
    } catch (error) {
      if (!(error instanceof EmbeddingUnavailable)) throw error;
      log.warn({ err: error }, 'Lessons cannot be compared');
      return {
        matches: [],
        compared: 0,
        without_embedding: lessons.length,
        degraded: 'embedding_unavailable',
      };
    }
    const known = await loadVectors(brandId, new Set(lessons.flatMap((lesson) => lesson.text_hashes)));
    const comparable = lessons.filter((lesson) => lesson.text_hashes.every((hash) => known.has(hash)));
    const matches = comparable
      .map((lesson) => ({ lesson, similarity: likeness([asked], lesson, known) }))
      .filter(({ similarity }) => similarity >= threshold)
      .sort((one, other) => other.similarity - one.similarity || (one.lesson.id < other.lesson.id ? -1 : 1))
      .slice(0, k)
      .map(({ lesson: { id, path, type: kind, pinned }, similarity }) => ({
        id,
        path,
        similarity,
        type: kind,
        pinned,
      }));
    return { matches, compared: comparable.length, without_embedding: lessons.length - comparable.length };
  }

  /**
   * Finds earlier lessons that resemble the new ones. Returns nothing on an error, so that the write still
   * succeeds.
   */
  async function findDuplicates(
    brandId: number,
    existing: readonly ComparableLesson[],
    written: readonly CheckedLesson[],
  ): Promise<Map<CheckedLesson, DuplicateView[]>> {
    const checked = written.slice(0, FULLY_COMPARED);
    if (checked.length === 0 || existing.length === 0) return new Map();
    try {
      const signal = AbortSignal.timeout(CHECK_MS);
      const known = await loadVectors(brandId, new Set(existing.flatMap((lesson) => lesson.text_hashes)));
      await embedMissing(brandId, existing, known, signal);
      const made = await embedTexts(
        checked.flatMap((lesson) => lesson.texts),
        signal,
      );
      return new Map(checked.map((lesson) => [lesson, duplicatesOf(lesson, existing, known, made)]));
    } catch (error) {
      log.warn({ err: error }, 'The check for duplicate lessons failed');
      return new Map();
    }
  }

  async function embedMissing(
    brandId: number,
    existing: readonly ComparableLesson[],
    known: Map<string, Float32Array>,
    signal: AbortSignal,
  ) {
    const waiting = existing
      .filter((lesson) => lesson.text_hashes.some((hash) => !known.has(hash)))
      .slice(-MOST_EMBEDDED_IN_CHECK);
    if (waiting.length === 0) return;
    const texts = (
      await similarityStore(db, brandId).readTexts(waiting.map((lesson) => lesson.lesson_no))
    ).flatMap(textsWithHash);
    for (const [hash, vector] of await embedTexts(texts, signal)) known.set(hash, vector);
  }

  async function embedTexts(
    texts: readonly { hash: string; text: string }[],
    signal: AbortSignal,
    when: 'now' | 'later' = 'now',
  ): Promise<Map<string, Float32Array>> {
    const distinct = [...new Map(texts.map(({ hash, text }) => [hash, text]))];
    const made = await embedder.embed(
      distinct.map(([, text]) => text),
      signal,
      when,
    );
    return new Map(distinct.map(([hash], index) => [hash, made[index]!]));
  }

  /** Embeds the lessons that have no vector of the current model yet. */
  async function embedWaiting(signal: AbortSignal): Promise<JobResult> {
    const queue = embeddingQueue(db);
    const result = { processed: 0, failed: 0 };
    let waiting = await queue.listWaiting(embedder.modelId, 0, MOST_LISTED);
    while (waiting.length > 0 && !signal.aborted) {
      const batch = waiting.splice(0, BATCH);
      try {
        for (const brandId of new Set(batch.map((row) => row.brand_id)))
          await embedBatch(
            brandId,
            batch.filter((row) => row.brand_id === brandId).map((row) => row.lesson_no),
            signal,
          );
        result.processed += batch.length;
      } catch (error) {
        if (!(error instanceof EmbeddingUnavailable)) throw error;
        log.warn({ err: error }, 'Lessons wait for their vectors');
        result.failed += batch.length;
        break;
      }
      if (waiting.length === 0)
        waiting = await queue.listWaiting(embedder.modelId, batch.at(-1)!.lesson_no, MOST_LISTED);
    }
    if (result.failed === 0) await queue.dropUnused(embedder.modelId);
    return result;
  }

  async function embedBatch(brandId: number, numbers: number[], signal: AbortSignal): Promise<void> {
    const store = similarityStore(db, brandId);
    const texts = (await store.readTexts(numbers)).flatMap(textsWithHash);
    const made = await embedTexts(texts, signal, 'later');
    await store.saveVectors(
      embedder.modelId,
      [...made].map(([hash, vector]) => ({ hash, dimensions: vector.length, bytes: vectorToBytes(vector) })),
    );
  }

  return {
    findSimilar,
    findDuplicates,
    embedWaiting,
    listComparable: (brandId: number) => similarityStore(db, brandId).listComparable(null),
  };
}

/** The texts of the stored hashes. The hash shows whether the title was written or derived. */
function textsWithHash(lesson: {
  title: string;
  body: string;
  text_hashes: string[];
}): { hash: string; text: string }[] {
  const candidates = [
    ...textsOf(lesson.title, lesson.body, lesson.title),
    ...textsOf('', lesson.body, lesson.title),
  ];
  return candidates
    .map((text) => ({ hash: hashOf(text), text }))
    .filter(({ hash }) => lesson.text_hashes.includes(hash));
}

function likeness(
  asked: readonly Float32Array[],
  lesson: ComparableLesson,
  known: ReadonlyMap<string, Float32Array>,
): number {
  let best = -1;
  for (const hash of lesson.text_hashes) {
    const vector = known.get(hash);
    if (!vector) continue;
    for (const question of asked)
      if (question.length === vector.length) best = Math.max(best, dotProduct(question, vector));
  }
  return Math.min(1, Math.round(best * 1e6) / 1e6);
}

function duplicatesOf(
  lesson: CheckedLesson,
  existing: readonly ComparableLesson[],
  known: ReadonlyMap<string, Float32Array>,
  made: ReadonlyMap<string, Float32Array>,
): DuplicateView[] {
  const asked = lesson.texts.flatMap(({ hash }) => made.get(hash) ?? []);
  return existing
    .filter((other) => other.id !== lesson.id || other.project_id !== lesson.projectId)
    .map(({ id, path, ...other }) => ({
      id,
      path,
      similarity: likeness(asked, { id, path, ...other }, known),
    }))
    .filter(({ similarity }) => similarity >= DUPLICATE_THRESHOLD)
    .sort((one, other) => other.similarity - one.similarity || (one.id < other.id ? -1 : 1))
    .slice(0, MOST_DUPLICATES);
}
