import type { ChildProcess } from 'node:child_process';
import { startProcess } from '../workers/worker-entry.js';
import { normalise } from './cosine.js';
import { type Embedder, EmbeddingUnavailable, withEmbeddingCache } from './embedder.js';
import type { EncoderAnswer, EncoderQuestion } from './minilm/encoder.worker.js';

export interface EmbeddedOptions {
  /** The process is ended after this time, because it takes about 150 MB. */
  idleMs?: number;
  answerMs?: number;
  /** Time after a failure during which requests fail at once. */
  restMs?: number;
  start?: () => ChildProcess;
}

/** Change this with the encoder or its arithmetic, because vectors of different models are not comparable. */
const MODEL_ID = 'embedded:all-MiniLM-L6-v2-int8-1';
const DIMENSIONS = 384;

/**
 * Runs all-MiniLM-L6-v2 from an npm package, without network access. The native code runs in a separate
 * process that ends when idle.
 */
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

interface TextRequest {
  text: string;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** Sends one text at a time, so that an urgent text waits for at most one other. */
function createEncoder(options: EmbeddedOptions) {
  const { idleMs = 5 * 60_000, answerMs = 30_000, restMs = 10_000 } = options;
  const start = options.start ?? (() => startProcess(import.meta.url, './minilm/encoder.worker'));
  const queues: Record<'now' | 'later', Set<TextRequest>> = { now: new Set(), later: new Set() };
  let child: ChildProcess | undefined;
  let loaded: ChildProcess | undefined;
  let current: { id: number; asked: TextRequest } | undefined;
  let nextId = 1;
  let timer: NodeJS.Timeout | undefined;
  let restingUntil = 0;
  let closed = false;

  function begin(): ChildProcess {
    const started = start();
    started.on('message', (answer: EncoderAnswer) => onAnswer(started, answer));
    started.on('error', (error) => fail(started, 'the encoder broke', error));
    started.on('exit', () => fail(started, 'the encoder ended'));
    return started;
  }

  function takeNext(): TextRequest | undefined {
    const queue = queues.now.size > 0 ? queues.now : queues.later;
    const [asked] = queue;
    if (asked) queue.delete(asked);
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

  function onAnswer(from: ChildProcess, answer: EncoderAnswer): void {
    if (from !== child || current?.id !== answer.id) return;
    loaded = from;
    const { asked } = current;
    current = undefined;
    if (answer.failed === undefined) asked.resolve(normalise(Float32Array.from(answer.vector)));
    else asked.reject(new EmbeddingUnavailable(answer.failed));
    proceed();
  }

  /**
   * Lets this process exit while the encoder is idle, and ends the encoder after a while to free its memory.
   */
  function rest(): void {
    const resting = child;
    if (!resting) return;
    resting.unref();
    resting.channel?.unref();
    timer = setTimeout(() => fail(resting, 'idle'), idleMs);
    timer.unref();
  }

  /** Kills the process and fails all texts that wait for it. A later request starts a new process. */
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
    for (const queue of Object.values(queues)) {
      for (const { reject } of queue) reject(new EmbeddingUnavailable(reason));
      queue.clear();
    }
  }

  return {
    asleep: () => child === undefined || child !== loaded,
    waiting: () => queues.now.size + queues.later.size + (current ? 1 : 0),

    async ask(texts: string[], when: 'now' | 'later', signal?: AbortSignal): Promise<Float32Array[]> {
      if (closed) throw new EmbeddingUnavailable('closed');
      if (signal?.aborted) throw new EmbeddingUnavailable('the caller gave up');
      if (performance.now() < restingUntil) throw new EmbeddingUnavailable('it failed a moment ago');
      const mine: TextRequest[] = [];
      const answers = texts.map(
        (text) =>
          new Promise<Float32Array>((resolve, reject) => {
            mine.push({ text, resolve, reject });
          }),
      );
      const giveUp = () => {
        for (const asked of mine) {
          queues[when].delete(asked);
          asked.reject(new EmbeddingUnavailable('the caller gave up'));
        }
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      try {
        for (const asked of mine) queues[when].add(asked);
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

/** Keeps this process alive while a request is pending. */
function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}
