import { EndpointFailed, endpointPath, postJson } from '../outgoing/json-endpoint.js';
import { normalise } from './cosine.js';
import { type Embedder, EmbeddingUnavailable } from './embedder.js';
import { withEmbeddingCache } from './embedder-cache.js';

export interface EmbeddingEndpoint {
  /** Ends in `/v1`. */
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

/** The order is told by `index`; endpoints are free to answer in another one. */
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
