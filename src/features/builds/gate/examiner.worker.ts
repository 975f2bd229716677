import { parentPort } from 'node:worker_threads';
import { type ExaminedChange, examineChange } from './examine.js';

parentPort!.on('message', (change: ExaminedChange) => parentPort!.postMessage(examineChange(change)));
