import type { Worker } from 'node:worker_threads';
import { FairQueue } from '../../kernel/fair-queue.js';
import { startWorker } from '../../platform/workers/worker-entry.js';
import type { AnalyzedChange, Findings } from './analyze-change.js';

/** Of the analysis of one change. A thread that does not end by itself is terminated then. */
const LONGEST_MS = 2000;
/** Until a new thread has loaded its modules. */
const LONGEST_START_MS = 60_000;
const MOST_HEAP_MB = 512;
const IDLE_MS = 30_000;

/** That the analysis begins, then what it found. */
export type AnalysisMessage = 'started' | Findings;

/** A change whose analysis was cut off. */
export class AnalysisEnded extends Error {}

/** Analyzes changes in a thread of its own, one at a time; workspaces take turns. */
export function createAnalysisThread(start = startThread) {
  const turns = new FairQueue({ places: 1 });
  let worker: Worker | undefined;
  let resting: NodeJS.Timeout | undefined;

  async function end(): Promise<void> {
    clearTimeout(resting);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  function run(change: AnalyzedChange): Promise<Findings> {
    clearTimeout(resting);
    worker ??= start();
    const thread = worker;
    return new Promise<Findings>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        thread.off('message', hear).off('error', fail).off('exit', gone);
      };
      const hear = (message: AnalysisMessage) => {
        if (message === 'started') {
          clearTimeout(timer);
          timer = setTimeout(takeTooLong, LONGEST_MS);
          return;
        }
        leave();
        resting = setTimeout(() => void end(), IDLE_MS).unref();
        thread.unref();
        resolve(message);
      };
      const fail = ({ message }: Error) => {
        leave();
        if (worker === thread) worker = undefined;
        void thread.terminate();
        reject(new AnalysisEnded(message));
      };
      const gone = (code: number) => fail(new Error(`exit ${code}`));
      const takeTooLong = () => fail(new Error('it took too long'));
      let timer = setTimeout(takeTooLong, LONGEST_START_MS);
      thread.on('message', hear).on('error', fail).on('exit', gone);
      thread.ref();
      thread.postMessage(change);
    });
  }

  return {
    analyze: (brandId: number, change: AnalyzedChange): Promise<Findings> =>
      turns.run(String(brandId), () => run(change)),
    end,
  };
}

const startThread = (): Worker =>
  startWorker(import.meta.url, './analysis.worker', {
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });

export type AnalysisThread = ReturnType<typeof createAnalysisThread>;
