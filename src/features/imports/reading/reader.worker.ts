import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readExport } from '../readers/read-export.js';
import { UnreadableExport } from '../readers/record.js';
import { createOrigins, createRowLinks } from '../readers/row-links.js';
import type { FoundRow, ReaderMessage, ReaderTask } from './reading.service.js';

const ROWS_AT_ONCE = 200;
const LINKS_AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 1_000_000;

const port = parentPort!;
const { path, source } = workerData as ReaderTask;
const send = (message: ReaderMessage) => port.postMessage(message);

const LARGEST_MIB = 128;

/** Checked before rows are sent, because a small file can expand to cards that repeat the same text. */
function requireReadableSize(bytes: Uint8Array): void {
  let characters = 0;
  for (const read of readExport(source, bytes)) {
    characters += JSON.stringify(read).length;
    if (characters > LARGEST_MIB * 1024 ** 2)
      throw new UnreadableExport(
        `The cards of the file would hold more than ${LARGEST_MIB} MiB of text; divide it, or leave out what they share`,
      );
  }
}

function* batches(): Generator<ReaderMessage> {
  const bytes = readFileSync(path);
  requireReadableSize(bytes);
  const origins = createOrigins(source);
  const rowLinks = createRowLinks();
  let rows: FoundRow[] = [];
  let characters = 0;
  for (const read of readExport(source, bytes)) {
    if ('reason' in read) rows.push(read);
    else {
      rowLinks.add(read.row, read.record);
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
  const links = rowLinks.list();
  for (let at = 0; at < links.length; at += LINKS_AT_ONCE)
    yield { links: links.slice(at, at + LINKS_AT_ONCE) };
}

/** Creates a message only after the previous one has been processed, to bound the memory. */
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
