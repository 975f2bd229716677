import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { cosine } from './cosine.js';
import { EmbeddingUnavailable } from './embedder.js';
import { embeddedEmbedder } from './embedder-embedded.js';

describe('the embedded embedder', () => {
  const embedder = embeddedEmbedder();
  afterAll(() => embedder.close());

  it('finds near-duplicates near and unrelated texts far, with vectors of length one', async () => {
    const [a, b, c] = await embedder.embed([
      'Never call the payment provider inside a database transaction.',
      'Never call the payment provider in a database transaction',
      'The office plants are watered on Fridays',
    ]);
    expect(a).toHaveLength(embedder.dimensions!);
    expect(Math.hypot(...a!)).toBeCloseTo(1, 5);
    expect(cosine(a!, b!)).toBeGreaterThan(0.9);
    expect(cosine(a!, c!)).toBeLessThan(0.5);
  });

  it('takes any text: empty, blank, hostile, very long', async () => {
    const vectors = await embedder.embed([
      '',
      ' \n',
      '\0',
      '\ud800',
      '日本語のテキスト',
      'constructor __proto__',
      'long words '.repeat(20_000),
    ]);
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
    expect(await embedder.embed([''])).toHaveLength(1);
    expect(await embedder.embed([])).toEqual([]);
  });

  it('gives the same vector alone and in a batch', async () => {
    const other = embeddedEmbedder();
    const [alone] = await other.embed(['a sentence about boards']);
    const batch = await embedder.embed([
      'another one which is quite a bit longer',
      'a sentence about boards',
      'x',
    ]);
    expect(cosine(alone!, batch[1]!)).toBeCloseTo(1, 5);
    await other.close();
  });
});

describe('the embedder’s thread', () => {
  const threadThat = (script: string) => () => new Worker(script, { eval: true });

  const ANSWER = `
    const { parentPort } = require('node:worker_threads');
    parentPort.on('message', ({ id, texts }) => {
      parentPort.postMessage({ id, flat: new Float32Array(texts.flatMap(() => [3, 4])), dimensions: 2 });
    });
  `;

  it('ends when it has nothing to do, and comes back', async () => {
    const exits: Promise<unknown>[] = [];
    const embedder = embeddedEmbedder({
      idleMs: 0,
      start: () => {
        const worker = threadThat(ANSWER)();
        exits.push(new Promise((resolve) => worker.once('exit', resolve)));
        return worker;
      },
    });
    const [vector] = await embedder.embed(['one']);
    expect([...vector!]).toEqual([expect.closeTo(0.6), expect.closeTo(0.8)]);
    await exits[0];
    await embedder.embed(['two']);
    expect(exits).toHaveLength(2);
    await embedder.close();
    await exits[1];
  });

  it('serves many callers at once, in batches of 32', async () => {
    const embedder = embeddedEmbedder({ start: threadThat(ANSWER) });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, caller) =>
        embedder.embed(Array.from({ length: 40 }, (_, i) => `${caller}/${i}`)),
      ),
    );
    expect(answers.map((vectors) => vectors.length)).toEqual(Array(50).fill(40));
    await embedder.close();
  });

  it('that breaks makes the embedding unavailable, and the next question starts a new one', async () => {
    let starts = 0;
    const embedder = embeddedEmbedder({
      start: () => {
        starts += 1;
        return threadThat(
          "require('node:worker_threads').parentPort.on('message', () => { throw new Error('broken') })",
        )();
      },
    });
    await expect(embedder.embed(['a'])).rejects.toThrow(EmbeddingUnavailable);
    await expect(embedder.embed(['a'])).rejects.toThrow(EmbeddingUnavailable);
    expect(starts).toBe(2);
  });

  it('that hangs is given up, also when its caller or the program does not wait', async () => {
    const hanging = threadThat("require('node:worker_threads').parentPort.on('message', () => {})");
    await expect(embeddedEmbedder({ start: hanging, batchTimeoutMs: 20 }).embed(['a'])).rejects.toThrow(
      /in time/,
    );

    const embedder = embeddedEmbedder({ start: hanging });
    const caller = new AbortController();
    const asked = embedder.embed(['a'], caller.signal);
    caller.abort();
    await expect(asked).rejects.toThrow(EmbeddingUnavailable);

    const waiting = embedder.embed(['b']);
    const closed = embedder.close();
    await expect(waiting).rejects.toThrow(EmbeddingUnavailable);
    await closed;
    await expect(embedder.embed(['c'])).rejects.toThrow(EmbeddingUnavailable);
  });
});
