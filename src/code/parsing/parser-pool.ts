import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../platform/workers/worker-entry.js';
import type { Language } from '../languages.js';
import { emptyFacts, type FileFacts } from './facts.js';

export interface ParseRequest {
  path: string;
  language: Language;
  bytes: Uint8Array;
}

/** JSON is stored as it is and is cheaper to transfer between threads than objects. */
export type ParseResults = string[];

interface Waiting {
  request: ParseRequest;
  resolve(facts: string): void;
  /** The file was in a batch that crashed a thread, so it is parsed alone. */
  isSuspect: boolean;
}

interface PoolOptions {
  start?: () => Worker;
  timeoutMs?: number;
}

const TIMEOUT_MS = 20_000;
const IDLE_MS = 30_000;
const MANY_FILES = 500;
/** Batches save time, because transferring a small file costs about as much as parsing it. */
const MOST_IN_BATCH = 8;
const MOST_BYTES_IN_BATCH = 128 * 1024;
/** Allows deeply nested real code. With the default of 4 MB such code would crash the process. */
const STACK_MB = 64;

const startParser = () =>
  startWorker(import.meta.url, './parse.worker', { resourceLimits: { stackSizeMb: STACK_MB } });

/** Parses files in worker threads. A file that crashes or hangs a thread does not affect other files. */
export class ParserPool {
  #threads: ParserThread[] = [];
  #queue: Waiting[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor(
    readonly size = Math.max(1, Math.min(4, availableParallelism())),
    readonly options: PoolOptions = {},
  ) {}

  /** Number of files that keeps all threads busy. */
  get capacity(): number {
    return this.size * MOST_IN_BATCH * 2;
  }

  parse(path: string, language: Language, bytes: Uint8Array): Promise<string> {
    return new Promise((resolve) => {
      const waiting = { request: { path, language, bytes }, resolve, isSuspect: false };
      if (this.#isClosed) return this.#giveUp([waiting]);
      this.#queue.push(waiting);
      this.#schedule();
    });
  }

  /** Starts threads while git is still listing files. */
  warmUp(threads: number): void {
    while (this.#threads.length < threads) this.#start().rest();
  }

  /**
   * Ends all threads but one, or all of them after many files, because each thread keeps the memory of its
   * largest files, and the rest of the index run needs it.
   */
  shrink(parsed: number): void {
    const idle = this.#threads.filter(({ busy }) => !busy);
    for (const thread of idle.slice(parsed < MANY_FILES ? 1 : 0)) void thread.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#giveUp(this.#queue.splice(0));
    await Promise.all(this.#threads.slice().map((thread) => thread.end()));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      let thread = this.#threads.find((candidate) => !candidate.busy);
      if (!thread) {
        if (this.#threads.length >= this.size) return;
        thread = this.#start();
      }
      thread.take(this.#nextBatch());
    }
  }

  #nextBatch(): Waiting[] {
    const share = Math.min(MOST_IN_BATCH, Math.ceil(this.#queue.length / this.size));
    const batch: Waiting[] = [];
    let bytes = 0;
    for (const waiting of this.#queue.slice(0, share)) {
      bytes += waiting.request.bytes.length;
      if (batch.length > 0 && (waiting.isSuspect || bytes > MOST_BYTES_IN_BATCH)) break;
      batch.push(waiting);
      if (waiting.isSuspect) break;
    }
    this.#queue.splice(0, batch.length);
    return batch;
  }

  #start(): ParserThread {
    const { start = startParser, timeoutMs = TIMEOUT_MS } = this.options;
    const thread = new ParserThread(start(), timeoutMs, {
      onGone: (gone, unparsed) => {
        this.#threads = this.#threads.filter((candidate) => candidate !== gone);
        this.#requeue(unparsed);
        this.#dispatch();
      },
      onFree: () => this.#schedule(),
    });
    this.#threads.push(thread);
    return thread;
  }

  #requeue(unparsed: Waiting[]): void {
    if (this.#isClosed || unparsed.length < 2) this.#giveUp(unparsed);
    else this.#queue.unshift(...unparsed.map((waiting) => ({ ...waiting, isSuspect: true })));
  }

  #giveUp(unparsed: Waiting[]): void {
    for (const { resolve } of unparsed) resolve(NOTHING);
  }
}

class ParserThread {
  #current: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly worker: Worker,
    readonly timeoutMs: number,
    readonly owner: { onGone(thread: ParserThread, unparsed: Waiting[]): void; onFree(): void },
  ) {
    worker.on('message', (results: ParseResults) => this.#settle(results));
    worker.on('error', () => this.#gone());
    worker.on('exit', () => this.#gone());
  }

  get busy(): boolean {
    return this.#current.length > 0;
  }

  take(batch: Waiting[]): void {
    this.#current = batch;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(), this.timeoutMs);
    this.worker.ref();
    this.worker.postMessage(batch.map(({ request }) => request));
  }

  /** Leaves the pool before it terminates, so that it gets no more work. */
  async end(): Promise<void> {
    this.#gone();
    await this.worker.terminate();
  }

  #settle(results: ParseResults): void {
    clearTimeout(this.#timer);
    const batch = this.#current;
    this.#current = [];
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    this.owner.onFree();
    this.rest();
  }

  /** Keeps the idle thread from holding the process open. */
  rest(): void {
    this.worker.unref();
    this.#timer = setTimeout(() => void this.end(), IDLE_MS);
    this.#timer.unref();
  }

  #gone(): void {
    clearTimeout(this.#timer);
    const unparsed = this.#current;
    this.#current = [];
    this.owner.onGone(this, unparsed);
  }
}

const NOTHING = JSON.stringify(emptyFacts());

export function readFacts(json: string): FileFacts {
  return JSON.parse(json) as FileFacts;
}
