import type { Worker } from 'node:worker_threads';
import { normalise } from './cosine.js';
import { type Embedder, EmbeddingUnavailable } from './embedder.js';
import { withEmbeddingCache } from './embedder-cache.js';
import { startWorker } from './worker-entry.js';

export interface EmbeddingQuestion {
  id: number;
  texts: string[];
}

export type EmbeddingAnswer =
  | { id: number; flat: Float32Array; dimensions: number; failed?: undefined }
  | { id: number; failed: string };

export interface EmbeddedOptions {
  /** The model takes some 150 MB while its thread lives. */
  idleMs?: number;
  batchTimeoutMs?: number;
  /** Another way to start the thread. */
  start?: () => Worker;
}

interface Pending {
  resolve(vectors: Float32Array[]): void;
  reject(error: Error): void;
}

const DIMENSIONS = 512;

/** Universal Sentence Encoder Lite, carried in the package: no network, in a thread of its own that comes and goes. */
export function embeddedEmbedder(options: EmbeddedOptions = {}): Embedder {
  const { idleMs = 60_000, batchTimeoutMs = 60_000 } = options;
  const thread = new EmbeddingThread(
    options.start ?? (() => startWorker(import.meta.url, './embedder.worker')),
    idleMs,
    batchTimeoutMs,
  );
  return withEmbeddingCache({
    modelId: 'embedded:universal-sentence-encoder-lite-en-1',
    dimensions: DIMENSIONS,
    embed: (texts, signal) => (texts.length === 0 ? Promise.resolve([]) : thread.ask(texts, signal)),
    close: () => thread.close(),
  });
}

class EmbeddingThread {
  #worker: Worker | undefined;
  #pending = new Map<number, Pending>();
  #nextId = 1;
  #idle: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    private readonly start: () => Worker,
    private readonly idleMs: number,
    private readonly batchTimeoutMs: number,
  ) {}

  async ask(texts: string[], signal?: AbortSignal): Promise<Float32Array[]> {
    if (this.#closed) throw new EmbeddingUnavailable('closed');
    if (signal?.aborted) throw new EmbeddingUnavailable('the caller gave up');
    const worker = this.#running();
    const id = this.#nextId++;
    const giveUp = () => this.#settle(id, new EmbeddingUnavailable('the caller gave up'));
    try {
      return await new Promise<Float32Array[]>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        if (this.#pending.size === 1) this.#watch(worker);
        signal?.addEventListener('abort', giveUp, { once: true });
        worker.postMessage({ id, texts } satisfies EmbeddingQuestion);
      });
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#worker) await this.#fail(this.#worker, 'closed');
  }

  #running(): Worker {
    clearTimeout(this.#idle);
    this.#worker ??= this.#startWorker();
    this.#worker.ref();
    return this.#worker;
  }

  #startWorker(): Worker {
    let worker: Worker;
    try {
      worker = this.start();
    } catch (error) {
      throw new EmbeddingUnavailable('the thread does not start', { cause: error });
    }
    worker.on('message', (answer: EmbeddingAnswer) => this.#hear(answer));
    worker.on('error', (error) => void this.#fail(worker, 'the thread broke', error));
    worker.on('exit', () => void this.#fail(worker, 'the thread ended'));
    return worker;
  }

  /** Time counts from the last answer: a long queue is no sign of a thread that hangs. */
  #watch(worker: Worker): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => void this.#fail(worker, 'no answer in time'), this.batchTimeoutMs);
  }

  #hear(answer: EmbeddingAnswer): void {
    if (this.#worker) this.#watch(this.#worker);
    if (answer.failed !== undefined) {
      this.#settle(answer.id, new EmbeddingUnavailable(answer.failed));
      return;
    }
    const { flat, dimensions } = answer;
    const vectors: Float32Array[] = [];
    for (let at = 0; at < flat.length; at += dimensions)
      vectors.push(normalise(flat.slice(at, at + dimensions)));
    this.#settle(answer.id, vectors);
  }

  #settle(id: number, outcome: Float32Array[] | Error): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (outcome instanceof Error) pending?.reject(outcome);
    else pending?.resolve(outcome);
    if (this.#pending.size === 0) this.#rest();
  }

  /** Without work the thread neither keeps the process alive nor, after a while, its memory. */
  #rest(): void {
    clearTimeout(this.#watchdog);
    const worker = this.#worker;
    if (!worker) return;
    worker.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#fail(worker, 'idle'), this.idleMs);
    this.#idle.unref();
  }

  /** Ends this thread and everything that waits for it; the next question starts a new one. */
  async #fail(worker: Worker, reason: string, cause?: unknown): Promise<void> {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearTimeout(this.#idle);
    clearTimeout(this.#watchdog);
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of waiting) reject(new EmbeddingUnavailable(reason, { cause }));
    await worker.terminate();
  }
}
