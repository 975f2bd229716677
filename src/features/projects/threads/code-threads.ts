import type { Worker, WorkerOptions } from 'node:worker_threads';
import type { Clock } from '../../../kernel/clock.js';
import { GitError } from '../git/git-program.js';
import {
  type CodeTask,
  type Comparison,
  type ComparisonTask,
  type Failure,
  type FromThread,
  type IndexTask,
  Overtaken,
  type Progress,
  ThreadDied,
  type ThreadSettings,
  type ToThread,
} from './code-tasks.js';

/** Starts the program of such a thread; it is put together elsewhere, because it takes along what is anchored to code. */
export type StartCodeThread = (options: WorkerOptions) => Worker;

interface RunOptions {
  signal: AbortSignal;
  onProgress?(progress: Progress): Promise<void>;
}

/** Beyond it a thread ends, and nothing else does. */
const MOST_HEAP_MB = 1536;
/** Nearly all that a pass makes stays until its end: more room for what is new would only take up memory. */
const YOUNG_HEAP_MB = 16;
/** A pass bounds itself; this is for one that does not come to look at the time. */
const LONGEST_MS = 20 * 60_000;
/** What a thread remembers of its last projects makes their next pass quick, and takes memory. */
const IDLE_MS = 30_000;

/** Threads for everything that reads, matches or links code: however much of it there is, the event loop stays free. */
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

  /** Sees to it that one is there when a task comes: its program takes a while to load. */
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
