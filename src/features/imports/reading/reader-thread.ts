import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../../platform/workers/worker-entry.js';
import { type ImportRecord, type Source, UnreadableExport } from '../readers/record.js';
import type { RowLinks } from '../readers/row-links.js';

export interface ReaderTask {
  path: string;
  source: Source;
}

/** A row of the file with the identity of its record, or why it has none. */
export type FoundRow =
  | { row: number; record: ImportRecord; origin: string; sameAs: number | undefined }
  | { row: number; reason: string };

export type ReaderMessage =
  | { rows: FoundRow[] }
  | { links: RowLinks[] }
  | { done: true }
  | { unreadable: string };

const LONGEST_MS = 120_000;
const MOST_HEAP_MB = 1024;

/** Reads a file in its own thread, so that no file blocks the process, and holds only one piece of it at a time. */
export async function* readInThread(
  task: ReaderTask,
): AsyncGenerator<{ rows: FoundRow[] } | { links: RowLinks[] }> {
  const thread = startWorker(import.meta.url, './reader.worker', {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });
  const end = performance.now() + LONGEST_MS;
  const messages = listen(thread);
  try {
    for (;;) {
      const message = await messages.next(end);
      if ('done' in message) return;
      if ('unreadable' in message) throw new UnreadableExport(message.unreadable);
      yield message;
      thread.postMessage('next');
    }
  } finally {
    await thread.terminate();
  }
}

/** The messages of a thread, in order. */
function listen(thread: Worker) {
  const received: ReaderMessage[] = [];
  let fault: Error | undefined;
  let wake: (() => void) | undefined;
  const fail = () => {
    fault ??= new UnreadableExport('The file is too much to be read at once; divide it');
    wake?.();
  };
  thread.on('message', (message: ReaderMessage) => {
    received.push(message);
    wake?.();
  });
  thread.on('error', fail).on('exit', fail);
  return {
    async next(end: number): Promise<ReaderMessage> {
      if (received.length === 0 && !fault) {
        const timer = setTimeout(fail, Math.max(0, end - performance.now()));
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(timer);
      }
      const message = received.shift();
      if (message) return message;
      throw fault!;
    },
  };
}
