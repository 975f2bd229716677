import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../../platform/workers/worker-entry.js';
import type { Descent } from '../readers/lineage.js';
import { type ImportRecord, type Source, UnreadableExport } from '../readers/record.js';

export interface ReaderTask {
  path: string;
  source: Source;
}

/** A row of the file: what it says and is known by, or why it says nothing. */
export type FoundRow =
  | { row: number; record: ImportRecord; origin: string; sameAs: number | undefined }
  | { row: number; reason: string };

export type ReaderMessage =
  | { rows: FoundRow[] }
  | { descents: Descent[] }
  | { done: true }
  | { unreadable: string };

const LONGEST_MS = 120_000;
const MOST_HEAP_MB = 1024;

/**
 * Reads a file in a thread of its own, piece by piece: whatever stands in it, nobody else waits for it, and no more of it is
 * here than is being dealt with.
 */
export async function* readInThread(
  task: ReaderTask,
): AsyncGenerator<{ rows: FoundRow[] } | { descents: Descent[] }> {
  const thread = startWorker(import.meta.url, './reader.worker', {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });
  const end = performance.now() + LONGEST_MS;
  const line = listen(thread);
  try {
    for (;;) {
      const message = await line.next(end);
      if ('done' in message) return;
      if ('unreadable' in message) throw new UnreadableExport(message.unreadable);
      yield message;
      thread.postMessage('next');
    }
  } finally {
    await thread.terminate();
  }
}

/** What a thread says, one after the other. */
function listen(thread: Worker) {
  const heard: ReaderMessage[] = [];
  let fault: Error | undefined;
  let wake: (() => void) | undefined;
  const fail = () => {
    fault ??= new UnreadableExport('The file is too much to be read at once; divide it');
    wake?.();
  };
  thread.on('message', (message: ReaderMessage) => {
    heard.push(message);
    wake?.();
  });
  thread.on('error', fail).on('exit', fail);
  return {
    async next(end: number): Promise<ReaderMessage> {
      if (heard.length === 0 && !fault) {
        const timer = setTimeout(fail, Math.max(0, end - performance.now()));
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(timer);
      }
      const message = heard.shift();
      if (message) return message;
      throw fault!;
    },
  };
}
