import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createLineage, createOrigins } from '../readers/lineage.js';
import { readExport } from '../readers/read-export.js';
import { UnreadableExport } from '../readers/record.js';
import type { FoundRow, ReaderMessage, ReaderTask } from './reader.js';

const ROWS_AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 1_000_000;

const port = parentPort!;
const { path, source } = workerData as ReaderTask;
const send = (message: ReaderMessage) => port.postMessage(message);

function* batches(): Generator<ReaderMessage> {
  const origins = createOrigins(source);
  const lineage = createLineage();
  let rows: FoundRow[] = [];
  let characters = 0;
  for (const read of readExport(source, readFileSync(path))) {
    if ('reason' in read) rows.push(read);
    else {
      lineage.add(read.row, read.record);
      rows.push({ ...read, ...origins.of(read.row, read.record) });
      characters += read.record.comments.reduce(
        (sum, { body }) => sum + body.length,
        read.record.body.length,
      );
    }
    if (rows.length < ROWS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield { rows };
    [rows, characters] = [[], 0];
  }
  yield { rows };
  const descents = lineage.descents();
  for (let at = 0; at < descents.length; at += 5000) yield { descents: descents.slice(at, at + 5000) };
}

/** One message at a time: the next is made when the one before has been dealt with. */
const messages = batches();
function next(): void {
  try {
    const { value, done } = messages.next();
    send(done ? { done: true } : value);
  } catch (error) {
    if (!(error instanceof UnreadableExport)) throw error;
    send({ unreadable: error.message });
  }
}
port.on('message', next);
next();
