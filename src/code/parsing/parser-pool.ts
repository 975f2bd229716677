import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../platform/workers/worker-entry.js';
import type { Language } from '../languages/languages.js';
import { emptyFacts, type FileFacts } from './facts.js';

export interface ParseQuestion {
  path: string;
  language: Language;
  bytes: Uint8Array;
}

/** For each question facts as JSON: they are stored as such, and cheaper to hand over than trees of objects. */
export type ParseAnswers = string[];

interface Waiting {
  question: ParseQuestion;
  resolve(facts: string): void;
  /** It was with others when a thread was lost: which of them did it is found out one by one. */
  isSuspect: boolean;
}

interface PoolOptions {
  start?: () => Worker;
  timeoutMs?: number;
}

const TIMEOUT_MS = 20_000;
const IDLE_MS = 30_000;
const MANY_FILES = 500;
/** To hand small files over one by one costs as much as to read some of them. */
const MOST_TOGETHER = 8;
const MOST_BYTES_TOGETHER = 128 * 1024;
/** Room for deep but honest code; the default of 4 MB ends the whole process when a parser runs out of it. */
const STACK_MB = 64;

const startParser = () =>
  startWorker(import.meta.url, './parse.worker', { resourceLimits: { stackSizeMb: STACK_MB } });

/** Parses files in worker threads. A thread that breaks or hangs costs the one file it was busy with, nothing else. */
export class ParserPool {
  #threads: ParserThread[] = [];
  #queue: Waiting[] = [];
  #isToBeHandedOut = false;
  #isClosed = false;

  constructor(
    readonly size = Math.max(1, Math.min(4, availableParallelism())),
    readonly options: PoolOptions = {},
  ) {}

  /** So many files keep all threads busy. */
  get appetite(): number {
    return this.size * MOST_TOGETHER * 2;
  }

  parse(path: string, language: Language, bytes: Uint8Array): Promise<string> {
    return new Promise((resolve) => {
      const waiting = { question: { path, language, bytes }, resolve, isSuspect: false };
      if (this.#isClosed) return this.#giveUp([waiting]);
      this.#queue.push(waiting);
      this.#handOutSoon();
    });
  }

  /** Starts threads before there is something to parse: git is asked meanwhile. */
  warmUp(threads: number): void {
    while (this.#threads.length < threads) this.#start().rest();
  }

  /**
   * Lets go of all threads but one, and of that one too after many files: each holds on to as much memory as its largest files
   * took, while the rest of the pass needs most of all.
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

  /** What comes in the same turn goes together. */
  #handOutSoon(): void {
    if (this.#isToBeHandedOut) return;
    this.#isToBeHandedOut = true;
    setImmediate(() => {
      this.#isToBeHandedOut = false;
      this.#handOut();
    });
  }

  #handOut(): void {
    while (this.#queue.length > 0) {
      let thread = this.#threads.find((candidate) => !candidate.busy);
      if (!thread) {
        if (this.#threads.length >= this.size) return;
        thread = this.#start();
      }
      thread.take(this.#takeTogether());
    }
  }

  /** The next ones, so many that every thread has its part. */
  #takeTogether(): Waiting[] {
    const share = Math.min(MOST_TOGETHER, Math.ceil(this.#queue.length / this.size));
    const together: Waiting[] = [];
    let bytes = 0;
    for (const waiting of this.#queue.slice(0, share)) {
      bytes += waiting.question.bytes.length;
      if (together.length > 0 && (waiting.isSuspect || bytes > MOST_BYTES_TOGETHER)) break;
      together.push(waiting);
      if (waiting.isSuspect) break;
    }
    this.#queue.splice(0, together.length);
    return together;
  }

  #start(): ParserThread {
    const { start = startParser, timeoutMs = TIMEOUT_MS } = this.options;
    const thread = new ParserThread(start(), timeoutMs, {
      onGone: (gone, unread) => {
        this.#threads = this.#threads.filter((candidate) => candidate !== gone);
        this.#takeBack(unread);
        this.#handOut();
      },
      onFree: () => this.#handOutSoon(),
    });
    this.#threads.push(thread);
    return thread;
  }

  #takeBack(unread: Waiting[]): void {
    if (this.#isClosed || unread.length < 2) this.#giveUp(unread);
    else this.#queue.unshift(...unread.map((waiting) => ({ ...waiting, isSuspect: true })));
  }

  #giveUp(unread: Waiting[]): void {
    for (const { resolve } of unread) resolve(NOTHING);
  }
}

class ParserThread {
  #current: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly worker: Worker,
    readonly timeoutMs: number,
    readonly owner: { onGone(thread: ParserThread, unread: Waiting[]): void; onFree(): void },
  ) {
    worker.on('message', (answers: ParseAnswers) => this.#settle(answers));
    worker.on('error', () => this.#gone());
    worker.on('exit', () => this.#gone());
  }

  get busy(): boolean {
    return this.#current.length > 0;
  }

  take(together: Waiting[]): void {
    this.#current = together;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(), this.timeoutMs);
    this.worker.ref();
    this.worker.postMessage(together.map(({ question }) => question));
  }

  /** It is given nothing any more: what it took while it ends would be lost. */
  async end(): Promise<void> {
    this.#gone();
    await this.worker.terminate();
  }

  #settle(answers: ParseAnswers): void {
    clearTimeout(this.#timer);
    const together = this.#current;
    this.#current = [];
    for (const [index, { resolve }] of together.entries()) resolve(answers[index]!);
    this.owner.onFree();
    this.rest();
  }

  /** Waits for work, and keeps nothing alive meanwhile. */
  rest(): void {
    this.worker.unref();
    this.#timer = setTimeout(() => void this.end(), IDLE_MS);
    this.#timer.unref();
  }

  #gone(): void {
    clearTimeout(this.#timer);
    const unread = this.#current;
    this.#current = [];
    this.owner.onGone(this, unread);
  }
}

const NOTHING = JSON.stringify(emptyFacts());

export function readFacts(json: string): FileFacts {
  return JSON.parse(json) as FileFacts;
}
