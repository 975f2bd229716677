import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../../services/workers/worker-entry.js';
import { emptyFacts, type FileFacts } from './facts.js';
import type { Language } from './languages.js';

export interface ParseQuestion {
  id: number;
  path: string;
  language: Language;
  bytes: Uint8Array;
}

export interface ParseAnswer {
  id: number;
  /** As JSON: it is stored as such, and cheaper to hand over than a tree of objects. */
  facts: string;
}

interface Waiting {
  question: ParseQuestion;
  resolve(facts: string): void;
}

const FILE_TIMEOUT_MS = 20_000;
const IDLE_MS = 30_000;
const MANY_FILES = 500;
/** Room for deep but honest code; the default of 4 MB ends the whole process when a parser runs out of it. */
const STACK_MB = 64;

/** Parses files in worker threads. A thread that breaks or hangs costs the one file it was busy with, nothing else. */
export class ParserPool {
  #threads: ParserThread[] = [];
  #queue: Waiting[] = [];
  #nextId = 1;

  constructor(readonly size = Math.max(1, Math.min(4, availableParallelism()))) {}

  parse(path: string, language: Language, bytes: Uint8Array): Promise<string> {
    return new Promise((resolve) => {
      this.#queue.push({ question: { id: this.#nextId++, path, language, bytes }, resolve });
      this.#work();
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
    await Promise.all(this.#threads.splice(0).map((thread) => thread.end()));
  }

  #work(): void {
    while (this.#queue.length > 0) {
      let thread = this.#threads.find((candidate) => !candidate.busy);
      if (!thread) {
        if (this.#threads.length >= this.size) return;
        thread = this.#start();
      }
      thread.take(this.#queue.shift()!);
    }
  }

  #start(): ParserThread {
    const thread = new ParserThread(
      (gone) => {
        this.#threads = this.#threads.filter((candidate) => candidate !== gone);
        this.#work();
      },
      () => this.#work(),
    );
    this.#threads.push(thread);
    return thread;
  }
}

class ParserThread {
  readonly #worker: Worker;
  #current: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly onGone: (thread: ParserThread) => void,
    readonly onFree: () => void,
  ) {
    this.#worker = startWorker(import.meta.url, './parse.worker', {
      resourceLimits: { stackSizeMb: STACK_MB },
    });
    this.#worker.on('message', (answer: ParseAnswer) => this.#settle(answer.facts));
    this.#worker.on('error', () => this.#gone());
    this.#worker.on('exit', () => this.#gone());
  }

  get busy(): boolean {
    return this.#current !== undefined;
  }

  take(waiting: Waiting): void {
    this.#current = waiting;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(), FILE_TIMEOUT_MS);
    this.#worker.ref();
    this.#worker.postMessage(waiting.question);
  }

  /** It is given nothing any more: what it took while it ends would be lost. */
  async end(): Promise<void> {
    this.onGone(this);
    await this.#worker.terminate();
  }

  #settle(facts: string): void {
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = undefined;
    current?.resolve(facts);
    this.onFree();
    if (!this.busy) this.rest();
  }

  /** Waits for work, and keeps nothing alive meanwhile. */
  rest(): void {
    this.#worker.unref();
    this.#timer = setTimeout(() => void this.end(), IDLE_MS);
    this.#timer.unref();
  }

  #gone(): void {
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = undefined;
    this.onGone(this);
    current?.resolve(NOTHING);
  }
}

const NOTHING = JSON.stringify(emptyFacts());

export function readFacts(json: string): FileFacts {
  return JSON.parse(json) as FileFacts;
}
