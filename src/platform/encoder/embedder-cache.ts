import { createHash } from 'node:crypto';
import { rememberRecent } from '../../kernel/recent.js';
import { BATCH_SIZE, type Embedder } from './embedder.js';

/** 384 numbers take 1.5 KB: some 8 MB at most. */
const MOST_VECTORS = 5_000;

/** Remembers vectors by the hash of their text, asks for each missing text once, in batches. */
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
      // Copies: a caller that changes its vector must not change everybody's.
      return hashes.map((hash) => Float32Array.from(found.get(hash)!));
    },
    close: () => embedder.close(),
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
