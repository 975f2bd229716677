import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cosine } from './cosine.js';
import { EmbeddingUnavailable } from './embedder.js';
import { embeddedEmbedder } from './embedder-embedded.js';

describe('Embedded embedder', () => {
  const embedder = embeddedEmbedder();
  afterAll(() => embedder.close());

  it('returns unit vectors that are close for near-duplicates and far apart for unrelated texts', async () => {
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

  it('accepts any text, including empty, blank, invalid and very long ones', async () => {
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

  it('returns the same vector for a text alone and in a batch', async () => {
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

describe('Encoder process', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'encoder-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** A process that runs the script, which handles its messages. */
  const processThat = (script: string, started: ChildProcess[] = []) => {
    const file = join(folder, `${Math.random()}.cjs`);
    writeFileSync(file, `process.on('disconnect', () => process.exit());\n${script}`);
    return () => {
      const child = fork(file, [], { serialization: 'advanced', execArgv: [] });
      started.push(child);
      return child;
    };
  };
  const ANSWER = `process.on('message', ({ id }) => process.send({ id, vector: Float32Array.of(3, 4) }))`;

  it('is asleep until its first answer and after it ends', async () => {
    const started: ChildProcess[] = [];
    const embedder = embeddedEmbedder({ start: processThat(ANSWER, started) });
    expect(embedder.asleep).toBe(true);
    const asked = embedder.embed(['one']);
    expect(embedder.asleep).toBe(true);
    await asked;
    expect(embedder.asleep).toBe(false);
    started[0]!.kill();
    await once(started[0]!, 'exit');
    expect(embedder.asleep).toBe(true);
    await embedder.close();
  });

  it('ends when idle and is started again on demand', async () => {
    const started: ChildProcess[] = [];
    const embedder = embeddedEmbedder({ idleMs: 0, start: processThat(ANSWER, started) });
    const [vector] = await embedder.embed(['one']);
    expect([...vector!]).toEqual([expect.closeTo(0.6), expect.closeTo(0.8)]);
    await once(started[0]!, 'exit');
    await embedder.embed(['two']);
    expect(started).toHaveLength(2);
    const ended = once(started[1]!, 'exit');
    await embedder.close();
    await ended;
  });

  it('serves many concurrent callers', async () => {
    const embedder = embeddedEmbedder({ start: processThat(ANSWER) });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, caller) =>
        embedder.embed(Array.from({ length: 40 }, (_, i) => `${caller}/${i}`)),
      ),
    );
    expect(answers.map((vectors) => vectors.length)).toEqual(Array(50).fill(40));
    expect(embedder.waiting).toBe(0);
    await embedder.close();
  });

  it('handles urgent texts before texts that can wait', async () => {
    const embedder = embeddedEmbedder({ start: processThat(ANSWER) });
    const order: string[] = [];
    const ask = async (text: string, when: 'now' | 'later') => {
      await embedder.embed([text], undefined, when);
      order.push(text);
    };
    const asked = ['a', 'b', 'c'].map((text) => ask(text, 'later'));
    expect(embedder.waiting).toBe(3);
    await Promise.all([...asked, ask('question', 'now')]);
    expect(order).toEqual(['a', 'question', 'b', 'c']);
    await embedder.close();
  });

  it('makes the embedder unavailable when it crashes, and is started again after a pause', async () => {
    const started: ChildProcess[] = [];
    const start = processThat("process.on('message', () => process.exit(1))", started);
    const resting = embeddedEmbedder({ start });
    await expect(resting.embed(['a', 'b'])).rejects.toThrow(EmbeddingUnavailable);
    await expect(resting.embed(['a'])).rejects.toThrow(/a moment ago/);
    expect(started).toHaveLength(1);

    const embedder = embeddedEmbedder({ start, restMs: 0 });
    await expect(embedder.embed(['a'])).rejects.toThrow(EmbeddingUnavailable);
    await expect(embedder.embed(['a'])).rejects.toThrow(EmbeddingUnavailable);
    expect(started).toHaveLength(3);
  });

  it('makes the embedder unavailable when it cannot start or reports an error', async () => {
    const start = () => {
      throw new Error('no more processes');
    };
    await expect(embeddedEmbedder({ start }).embed(['a'])).rejects.toThrow(/does not start/);
    const complaint = `process.on('message', ({ id }) => process.send({ id, failed: 'no such library' }))`;
    const embedder = embeddedEmbedder({ start: processThat(complaint) });
    await expect(embedder.embed(['a'])).rejects.toThrow(/no such library/);
    await embedder.close();
  });

  it('fails pending requests when it hangs, when the caller aborts and when the embedder is closed', async () => {
    const hanging = processThat("process.on('message', () => {})");
    await expect(embeddedEmbedder({ start: hanging, answerMs: 20 }).embed(['a'])).rejects.toThrow(/in time/);

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
