import { parentPort } from 'node:worker_threads';
import type { AnalysisMessage } from './analysis-thread.js';
import { type AnalyzedChange, analyzeChange } from './analyze-change.js';

/**
 * Files left after this time are named in a note. The rest of the thread's limit is for writing the notes.
 */
const LONGEST_MS = 1200;

const port = parentPort!;
const send = (message: AnalysisMessage) => port.postMessage(message);

port.on('message', (change: AnalyzedChange) => {
  send('started');
  const end = performance.now() + LONGEST_MS;
  send(analyzeChange(change, () => performance.now() < end));
});
