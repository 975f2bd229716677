import type { ChildProcess } from 'node:child_process';
import { startProcess } from '../workers/worker-entry.js';
import { normalise } from './cosine.js';
import { type Embedder, EmbeddingUnavailable } from './embedder.js';
import { withEmbeddingCache } from './embedder-cache.js';
import type { EncoderAnswer, EncoderQuestion } from './minilm/encoder.worker.js';

export interface EmbeddedOptions {
  /** The encoder takes some 150 MB while its process lives. */
  idleMs?: number;
  answerMs?: number;
  /** After a failure nobody waits for a process that will most likely fail again. */
  restMs?: number;
  /** Another way to start the process. */
  start?: () => ChildProcess;
}

/** Another encoder, and other arithmetic too, is another model: its vectors are not these. */
const MODEL_ID = 'embedded:all-MiniLM-L6-v2-int8-1';
const DIMENSIONS = 384;

/** all-MiniLM-L6-v2, carried in a package: no network. It is native code, so it has a process of its own, which comes and goes. */
export function embeddedEmbedder(options: EmbeddedOptions = {}): Embedder {
  const encoder = createEncoder(options);
  return withEmbeddingCache({
    modelId: MODEL_ID,
    dimensions: DIMENSIONS,
    get asleep() {
      return encoder.asleep();
    },
    get waiting() {
      return encoder.waiting();
    },
    embed: (texts, signal, when = 'now') => encoder.ask(texts, when, signal),
    close: () => encoder.close(),
  });
}

interface Asked {
  text: string;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** One text at a time goes to the process, so that what comes last and cannot wait has to wait for one only. */
function createEncoder(options: EmbeddedOptions) {
  const { idleMs = 5 * 60_000, answerMs = 30_000, restMs = 10_000 } = options;
  const start = options.start ?? (() => startProcess(import.meta.url, './minilm/encoder.worker'));
  const lines: Record<'now' | 'later', Set<Asked>> = { now: new Set(), later: new Set() };
  let child: ChildProcess | undefined;
  /** The process that has answered, which it does once it is loaded. */
  let loaded: ChildProcess | undefined;
  let current: { id: number; asked: Asked } | undefined;
  let nextId = 1;
  let timer: NodeJS.Timeout | undefined;
  let restingUntil = 0;
  let closed = false;

  function begin(): ChildProcess {
    const started = start();
    started.on('message', (answer: EncoderAnswer) => hear(started, answer));
    started.on('error', (error) => fail(started, 'the encoder broke', error));
    started.on('exit', () => fail(started, 'the encoder ended'));
    return started;
  }

  function takeNext(): Asked | undefined {
    const line = lines.now.size > 0 ? lines.now : lines.later;
    const [asked] = line;
    if (asked) line.delete(asked);
    return asked;
  }

  function proceed(): void {
    if (current) return;
    clearTimeout(timer);
    const asked = takeNext();
    if (!asked) {
      rest();
      return;
    }
    try {
      child ??= begin();
      hold(child);
      current = { id: nextId++, asked };
      const asking = child;
      timer = setTimeout(() => fail(asking, 'no answer in time'), answerMs);
      child.send({ id: current.id, text: asked.text } satisfies EncoderQuestion);
    } catch (error) {
      current = undefined;
      asked.reject(new EmbeddingUnavailable('the encoder does not start', { cause: error }));
      giveUpAll('the encoder does not start');
    }
  }

  function hear(from: ChildProcess, answer: EncoderAnswer): void {
    if (from !== child || current?.id !== answer.id) return;
    loaded = from;
    const { asked } = current;
    current = undefined;
    if (answer.failed === undefined) asked.resolve(normalise(Float32Array.from(answer.vector)));
    else asked.reject(new EmbeddingUnavailable(answer.failed));
    proceed();
  }

  /** Without work the process neither keeps this one alive nor, after a while, its memory. */
  function rest(): void {
    const resting = child;
    if (!resting) return;
    resting.unref();
    resting.channel?.unref();
    timer = setTimeout(() => fail(resting, 'idle'), idleMs);
    timer.unref();
  }

  /** Ends the process and everything that waits for it; what is asked after a while starts a new one. */
  function fail(failed: ChildProcess, reason: string, cause?: unknown): void {
    if (child !== failed) return;
    child = undefined;
    clearTimeout(timer);
    failed.kill('SIGKILL');
    const asked = current?.asked;
    current = undefined;
    asked?.reject(new EmbeddingUnavailable(reason, { cause }));
    if (asked) giveUpAll(reason);
  }

  function giveUpAll(reason: string): void {
    restingUntil = performance.now() + restMs;
    for (const line of Object.values(lines)) {
      for (const { reject } of line) reject(new EmbeddingUnavailable(reason));
      line.clear();
    }
  }

  return {
    asleep: () => child === undefined || child !== loaded,
    waiting: () => lines.now.size + lines.later.size + (current ? 1 : 0),

    async ask(texts: string[], when: 'now' | 'later', signal?: AbortSignal): Promise<Float32Array[]> {
      if (closed) throw new EmbeddingUnavailable('closed');
      if (signal?.aborted) throw new EmbeddingUnavailable('the caller gave up');
      if (performance.now() < restingUntil) throw new EmbeddingUnavailable('it failed a moment ago');
      const mine: Asked[] = [];
      const answers = texts.map(
        (text) =>
          new Promise<Float32Array>((resolve, reject) => {
            mine.push({ text, resolve, reject });
          }),
      );
      const giveUp = () => {
        for (const asked of mine) {
          lines[when].delete(asked);
          asked.reject(new EmbeddingUnavailable('the caller gave up'));
        }
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      try {
        for (const asked of mine) lines[when].add(asked);
        proceed();
        return await Promise.all(answers);
      } finally {
        signal?.removeEventListener('abort', giveUp);
      }
    },

    async close(): Promise<void> {
      closed = true;
      giveUpAll('closed');
      const ending = child;
      if (!ending || ending.exitCode !== null) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      fail(ending, 'closed');
      await ended;
    },
  };
}

/** While somebody waits for it, the process counts. */
function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}
