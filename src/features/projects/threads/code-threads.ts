import type { Worker, WorkerOptions } from 'node:worker_threads';
import type { Clock } from '../../../kernel/clock.js';
import type { DatabaseAddress } from '../../../platform/database/connection/connection.js';
import { GitError } from '../git/git-program.js';

export interface ThreadSettings {
  address: DatabaseAddress;
  mirrorsDir: string;
}

export interface IndexTask {
  kind: 'index';
  projectId: string;
  brandId: number;
  indexId: string;
  version: number;
  from: string | null;
  stepCount: number;
  commit: string | null;
}

export interface ComparisonTask {
  kind: 'compare';
  projectId: string;
  before: string;
  head: string;
  paths: string[];
}

export type CodeTask = IndexTask | ComparisonTask;

/** Paths that are missing here stay unchanged. */
export interface Comparison {
  moved: [path: string, to: string | null][];
  /** Paths whose content would change; for a folder, the content of anything inside it. */
  touched: string[];
}

export interface Progress {
  phase: 'reading' | 'linking' | 'writing';
  done: number;
  total: number;
}

export type ToThread = { kind: 'task'; task: CodeTask } | { kind: 'acknowledged'; now: number };

export type FromThread =
  /** Sent with the time, because a thread has no clock. */
  | { kind: 'progress'; progress: Progress }
  | { kind: 'done'; result: unknown }
  | { kind: 'failed'; failure: Failure };

export type Failure =
  | { reason: 'git'; message: string; exitCode: number | null; complaint: string }
  | { reason: 'overtaken' }
  | { reason: 'fault'; message: string; stack: string | undefined };

export class Overtaken extends Error {}

/** The thread ended during its task: out of memory, out of time, or a parser crash. */
export class ThreadDied extends Error {
  constructor(reason: string) {
    super(`A thread that works on code ended: ${reason}`);
    this.name = 'ThreadDied';
  }
}

/** Provided by the caller, because the thread also loads the follower of lessons. */
export type StartCodeThread = (options: WorkerOptions) => Worker;

interface RunOptions {
  signal: AbortSignal;
  onProgress?(progress: Progress): Promise<void>;
}

/** Above it only the thread ends, not the process. */
const MOST_HEAP_MB = 1536;
/** Most objects of a run live until its end, so a larger young generation would only use memory. */
const YOUNG_HEAP_MB = 16;
/** A backstop: an index run limits itself. */
const LONGEST_MS = 20 * 60_000;
/** The state of recent projects speeds up their next run, but uses memory. */
const IDLE_MS = 30_000;

export class CodeThreads {
  readonly #threads = new Set<CodeThread>();
  #closed = false;

  constructor(
    readonly options: { settings: ThreadSettings; start: StartCodeThread; clock: Clock; longestMs?: number },
  ) {}

  run(task: IndexTask, options: RunOptions): Promise<void>;
  run(task: ComparisonTask, options: RunOptions): Promise<Comparison>;
  async run(task: CodeTask, options: RunOptions): Promise<unknown> {
    options.signal.throwIfAborted();
    const free = [...this.#threads].filter((candidate) => !candidate.busy);
    const thread = free.find((candidate) => candidate.knows(task.projectId)) ?? free[0] ?? this.#start();
    return thread.run(task, options);
  }

  /** Starts a thread ahead of time, because loading it takes a while. */
  warmUp(): void {
    if (!this.#closed && ![...this.#threads].some(({ busy }) => !busy)) this.#start().rest();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #start(): CodeThread {
    if (this.#closed) throw new Error('No thread is started any more');
    const { settings, start, clock, longestMs = LONGEST_MS } = this.options;
    const worker = start({
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    });
    const thread = new CodeThread(worker, clock, longestMs, () => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }
}

interface Current extends RunOptions {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

class CodeThread {
  #current: Current | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #known = new Set<string>();
  #isGone = false;

  constructor(
    readonly worker: Worker,
    readonly clock: Clock,
    readonly longestMs: number,
    readonly onGone: () => void,
  ) {
    worker.on('message', (message: FromThread) => this.#receive(message));
    worker.on('error', (error) => this.#gone(error.message));
    worker.on('exit', (code) => this.#gone(`exit ${code}`));
  }

  get busy(): boolean {
    return this.#current !== undefined;
  }

  knows(projectId: string): boolean {
    return this.#known.has(projectId);
  }

  run(task: CodeTask, options: RunOptions): Promise<unknown> {
    clearTimeout(this.#timer);
    this.#known.add(task.projectId);
    this.worker.ref();
    const stop = () => {
      this.#settle()?.reject(options.signal.reason as Error);
      void this.end();
    };
    return new Promise((resolve, reject) => {
      this.#current = { ...options, resolve, reject };
      this.#timer = setTimeout(() => this.#gone('it took too long'), this.longestMs);
      options.signal.addEventListener('abort', stop, { once: true });
      this.#send({ kind: 'task', task });
    }).finally(() => options.signal.removeEventListener('abort', stop));
  }

  async end(): Promise<void> {
    this.#leave();
    await this.worker.terminate();
  }

  #send(message: ToThread): void {
    this.worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    if (message.kind === 'progress') void this.#forward(message.progress);
    else if (message.kind === 'failed') this.#settle()?.reject(errorOf(message.failure));
    else this.#settle()?.resolve(message.result);
    if (!this.busy && !this.#isGone) this.rest();
  }

  async #forward(progress: Progress): Promise<void> {
    const current = this.#current;
    try {
      await current?.onProgress?.(progress);
      if (this.#current === current) this.#send({ kind: 'acknowledged', now: this.clock.now().getTime() });
    } catch (error) {
      if (this.#current !== current) return;
      this.#settle()?.reject(error as Error);
      void this.end();
    }
  }

  rest(): void {
    this.worker.unref();
    this.#timer = setTimeout(() => void this.end(), IDLE_MS);
    this.#timer.unref();
  }

  #settle(): Current | undefined {
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = undefined;
    return current;
  }

  #leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#timer);
    this.onGone();
  }

  #gone(reason: string): void {
    this.#settle()?.reject(new ThreadDied(reason));
    void this.end();
  }
}

function errorOf(failure: Failure): Error {
  switch (failure.reason) {
    case 'git':
      return new GitError(failure.message, failure.exitCode, failure.complaint);
    case 'overtaken':
      return new Overtaken();
    default:
      return Object.assign(new Error(failure.message), { stack: failure.stack });
  }
}
