import { createHash } from 'node:crypto';
import { rememberRecent } from '../cache/cache.js';
import { EndpointFailed, endpointPath, postJson } from '../outgoing/json-endpoint.js';
import { normalise } from './cosine.js';

/** Turns texts into vectors of length one. Vectors of different `modelId` must not be compared. */
export interface Embedder {
  modelId: string;
  /** Undefined until the first response when the endpoint decides it. */
  readonly dimensions: number | undefined;
  /** Whether the encoder must be started first, which takes longer than encoding a text. */
  readonly asleep: boolean;
  readonly waiting: number;
  /**
   * Returns one vector per text, in order. Throws `EmbeddingUnavailable`. Texts wanted `later` wait for all
   * others.
   */
  embed(texts: string[], signal?: AbortSignal, when?: 'now' | 'later'): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export class EmbeddingUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`Embedding is unavailable: ${reason}`, options);
    this.name = 'EmbeddingUnavailable';
  }
}

const BATCH_SIZE = 32;

export const NO_MODEL = 'none';

export const noEmbedder = (): Embedder => ({
  modelId: NO_MODEL,
  dimensions: undefined,
  asleep: false,
  waiting: 0,
  embed: () => Promise.reject(new EmbeddingUnavailable('it is switched off')),
  close: () => Promise.resolve(),
});

/** One vector has 384 numbers and takes 1.5 KB, so the cache takes about 8 MB. */
const MOST_VECTORS = 5_000;

/** Caches vectors by the hash of their text and requests missing ones in batches. */
export function withEmbeddingCache(embedder: Embedder): Embedder {
  const vectors = rememberRecent<Float32Array>(MOST_VECTORS);
  return {
    modelId: embedder.modelId,
    get dimensions() {
      return embedder.dimensions;
    },
    get asleep() {
      return embedder.asleep;
    },
    get waiting() {
      return embedder.waiting;
    },
    async embed(texts, signal, when) {
      const hashes = texts.map(hashOf);
      const found = new Map<string, Float32Array>();
      const missing = new Map<string, string>();
      texts.forEach((text, i) => {
        const known = vectors.get(hashes[i]!);
        if (known) found.set(hashes[i]!, known);
        else missing.set(hashes[i]!, text);
      });
      const wanted = [...missing];
      for (let start = 0; start < wanted.length; start += BATCH_SIZE) {
        const batch = wanted.slice(start, start + BATCH_SIZE);
        const made = await embedder.embed(
          batch.map(([, text]) => text),
          signal,
          when,
        );
        batch.forEach(([hash], i) => {
          found.set(hash, made[i]!);
          vectors.set(hash, made[i]!);
        });
      }
      // Copied, so that callers cannot change the cached vectors.
      return hashes.map((hash) => Float32Array.from(found.get(hash)!));
    },
    close: () => embedder.close(),
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

interface EmbeddingEndpoint {
  url: string;
  name?: string;
  apiKey?: string;
  timeoutMs?: number;
}

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export function endpointEmbedder(settings: EmbeddingEndpoint): Embedder {
  const { url, name = 'default', apiKey, timeoutMs = 15_000 } = settings;
  let dimensions: number | undefined;
  return withEmbeddingCache({
    modelId: `endpoint:${name}`,
    get dimensions() {
      return dimensions;
    },
    asleep: false,
    waiting: 0,
    async embed(texts, signal) {
      try {
        const answer = await postJson({
          url: endpointPath(url, 'embeddings'),
          apiKey,
          timeoutMs,
          signal,
          maxBytes: MAX_ANSWER_BYTES,
          body: { model: name, input: texts, encoding_format: 'float' },
        });
        const vectors = readVectors(answer, texts.length);
        const size = vectors[0]?.length;
        if (vectors.some((vector) => vector.length !== size || vector.length !== (dimensions ?? size))) {
          throw new EndpointFailed('the vectors differ in dimension');
        }
        dimensions ??= size;
        return vectors;
      } catch (error) {
        if (error instanceof EndpointFailed)
          throw new EmbeddingUnavailable(error.message, { cause: error.cause });
        throw error;
      }
    },
    async close() {},
  });
}

/** Endpoints may return the vectors in another order, given by `index`. */
function readVectors(answer: unknown, expected: number): Float32Array[] {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== expected) {
    throw new EndpointFailed('the answer does not hold one vector per text');
  }
  const vectors = new Array<Float32Array | undefined>(expected);
  data.forEach((item: { index?: unknown; embedding?: unknown } | null, position) => {
    const index = typeof item?.index === 'number' ? item.index : position;
    const numbers = item?.embedding;
    if (!Array.isArray(numbers) || numbers.length === 0 || !numbers.every(Number.isFinite)) {
      throw new EndpointFailed('a vector is not made of numbers');
    }
    vectors[index] = normalise(Float32Array.from(numbers as number[]));
  });
  for (let i = 0; i < expected; i += 1) {
    if (!vectors[i]) throw new EndpointFailed('the answer does not hold one vector per text');
  }
  return vectors.slice(0, expected) as Float32Array[];
}
