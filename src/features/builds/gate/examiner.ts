import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../../services/workers/worker-entry.js';
import type { ExaminedChange, Findings } from './examine.js';

/** More than the largest change takes that is read at all. */
const LONGEST_MS = 60_000;
const MOST_HEAP_MB = 512;
const IDLE_MS = 30_000;

/** A change that a thread did not come to the end of. */
export class ExaminationEnded extends Error {}

/** Examines changes in a thread of its own, one after the other: whatever stands in them, nobody else waits for it. */
export function createExaminer() {
  let worker: Worker | undefined;
  let resting: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function end(): Promise<void> {
    clearTimeout(resting);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  function run(change: ExaminedChange): Promise<Findings> {
    clearTimeout(resting);
    worker ??= startWorker(import.meta.url, './examiner.worker', {
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
    });
    const thread = worker;
    return new Promise<Findings>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        thread.off('message', hear).off('error', fail).off('exit', gone);
      };
      const hear = (findings: Findings) => {
        leave();
        resting = setTimeout(() => void end(), IDLE_MS).unref();
        thread.unref();
        resolve(findings);
      };
      const fail = ({ message }: Error) => {
        leave();
        if (worker === thread) worker = undefined;
        void thread.terminate();
        reject(new ExaminationEnded(message));
      };
      const gone = (code: number) => fail(new Error(`exit ${code}`));
      const timer = setTimeout(() => fail(new Error('it took too long')), LONGEST_MS);
      thread.on('message', hear).on('error', fail).on('exit', gone);
      thread.ref();
      thread.postMessage(change);
    });
  }

  return {
    examine(change: ExaminedChange): Promise<Findings> {
      const examined = last.then(() => run(change));
      last = examined.catch(() => {});
      return examined;
    },
    end,
  };
}

export type Examiner = ReturnType<typeof createExaminer>;
