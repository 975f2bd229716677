import type { Worker, WorkerOptions } from 'node:worker_threads';
import { startWorker } from '../../../platform/workers/worker-entry.js';

/** A thread that works on code, with the lessons that go along with it. */
export const startCodeThread = (options: WorkerOptions): Worker =>
  startWorker(import.meta.url, './code.worker', { ...options, packages: ['kysely', 'pg'] });
