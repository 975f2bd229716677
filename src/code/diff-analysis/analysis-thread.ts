import type { Worker } from 'node:worker_threads';
import { FairQueue } from '../../kernel/fair-queue.js';
import { startWorker } from '../../platform/workers/worker-entry.js';
import type { AnalyzedChange, Findings } from './analyze-change.js';

const LONGEST_MS = 2000;
/** Includes the time to load modules in a new thread. */
const LONGEST_START_MS = 60_000;
const MOST_HEAP_MB = 512;
const IDLE_MS = 30_000;

export type AnalysisMessage = 'started' | Findings;

/** Thrown when an analysis exceeds its time limit or its thread fails. */
export class AnalysisEnded extends Error {}

/** Analyzes changes in one worker thread, alternating between workspaces. */
export function createAnalysisThread(start = startThread) {
  const queue = new FairQueue({ places: 1 });
  let worker: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  async function end(): Promise<void> {
    clearTimeout(idleTimer);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  function run(change: AnalyzedChange): Promise<Findings> {
    clearTimeout(idleTimer);
    worker ??= start();
    const thread = worker;
    return new Promise<Findings>((resolve, reject) => {
      const cleanUp = () => {
        clearTimeout(timer);
        thread.off('message', onMessage).off('error', fail).off('exit', onExit);
      };
      const onMessage = (message: AnalysisMessage) => {
        if (message === 'started') {
          clearTimeout(timer);
          timer = setTimeout(onTimeout, LONGEST_MS);
          return;
        }
        cleanUp();
        idleTimer = setTimeout(() => void end(), IDLE_MS).unref();
        thread.unref();
        resolve(message);
      };
      const fail = ({ message }: Error) => {
        cleanUp();
        if (worker === thread) worker = undefined;
        void thread.terminate();
        reject(new AnalysisEnded(message));
      };
      const onExit = (code: number) => fail(new Error(`exit ${code}`));
      const onTimeout = () => fail(new Error('it took too long'));
      let timer = setTimeout(onTimeout, LONGEST_START_MS);
      thread.on('message', onMessage).on('error', fail).on('exit', onExit);
      thread.ref();
      thread.postMessage(change);
    });
  }

  return {
    analyze: (brandId: number, change: AnalyzedChange): Promise<Findings> =>
      queue.run(String(brandId), () => run(change)),
    end,
  };
}

const startThread = (): Worker =>
  startWorker(import.meta.url, './analysis.worker', {
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });

export type AnalysisThread = ReturnType<typeof createAnalysisThread>;
