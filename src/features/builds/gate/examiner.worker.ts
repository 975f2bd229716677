import { parentPort } from 'node:worker_threads';
import { type ExaminedChange, examineChange } from './examine.js';
import type { ExaminerMessage } from './examiner.js';

/** Files that remain after it are named in a note; it leaves time to write the notes. */
const LONGEST_MS = 1200;

const port = parentPort!;
const send = (message: ExaminerMessage) => port.postMessage(message);

port.on('message', (change: ExaminedChange) => {
  send('started');
  const end = performance.now() + LONGEST_MS;
  send(examineChange(change, () => performance.now() < end));
});
