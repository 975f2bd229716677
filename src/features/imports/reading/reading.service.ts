import type { Worker } from 'node:worker_threads';
import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { yieldRegularly } from '../../../kernel/async.js';
import { FairQueue } from '../../../kernel/fair-queue.js';
import { newId } from '../../../kernel/ids.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { SpooledFile } from '../../../platform/http/declaration/route.js';
import { startWorker } from '../../../platform/workers/worker-entry.js';
import { fileTooLarge, noHost, otherHost, tooManyStates, unreadableFile } from '../imports.errors.js';
import { type ImportRecord, LOSSES, type Source, UnreadableExport } from '../readers/record.js';
import { originOfKey, type RowLinks } from '../readers/row-links.js';
import { findImportedCards } from '../record/batches.store.js';
import type { ImportOptions } from '../record/imports.options.js';
import { type Found, importStore, type NewRow } from '../record/imports.store.js';

const LONGEST_NAME = 200;
export const HOST_IMPORT = 'host-import';

export function createReadingService(options: ImportOptions) {
  const { db, clock, jobs, findHost, boards } = options;
  const storage = createRowStorage(options);
  /** Reading can use much memory, so two files are read at a time, and only one per workspace. */
  const readers = new FairQueue({ places: 2, mostPerKey: 1 });

  async function readFile(
    place: { brandId: number; boardId: string; importId: string },
    source: Source,
    path: string,
  ) {
    const store = importStore(db, place.brandId);
    for await (const piece of readInThread({ path, source })) {
      if ('rows' in piece) await storage.saveRows(db, place, piece.rows);
      else await store.addLinks(place.importId, piece.links);
    }
  }

  return {
    /** Stores the rows before the request is answered. */
    async readExport(
      caller: MemberCaller,
      boardId: string,
      source: Source,
      file: SpooledFile,
    ): Promise<string> {
      const { brandId } = caller;
      if (file.tooLarge) throw fileTooLarge();
      await boards.arrivals.openForArrivals(caller, boardId);
      const importId = newId();
      const store = importStore(db, brandId);
      const name = file.name.slice(0, LONGEST_NAME).toWellFormed().replaceAll('\0', '') || source;
      await store.insert({
        importId,
        boardId,
        source,
        name,
        projectId: null,
        by: actorIdsOf(caller),
        at: clock.now(),
      });
      try {
        await readers.run(String(brandId), () => readFile({ brandId, boardId, importId }, source, file.path));
        const states = await store.listStates(importId, MOST_STATES + 1);
        if (states.length > MOST_STATES) throw tooManyStates(MOST_STATES);
        return importId;
      } catch (error) {
        await store.remove(importId);
        throw error instanceof UnreadableExport ? unreadableFile(error.message) : error;
      }
    },

    async conclude(
      { brandId }: MemberCaller,
      boardId: string,
      importId: string,
      source: Source,
    ): Promise<void> {
      const store = importStore(db, brandId);
      const found = await storage.summarize(db, { brandId, boardId, importId }, source);
      await store.finishReading(importId, await store.countRows(importId), found);
    },

    /** Creates the import; a background job reads the issues. */
    async beginHostImport(caller: MemberCaller, boardId: string, projectId: string): Promise<string> {
      const { brandId } = caller;
      await boards.arrivals.openForArrivals(caller, boardId);
      const host = await findHost(brandId, projectId);
      if (!host) throw noHost();
      const { kind, repository: name } = host;
      if (kind !== 'github' && kind !== 'gitlab') throw otherHost(kind);
      const importId = newId();
      const by = actorIdsOf(caller);
      await importStore(db, brandId).insert({
        importId,
        boardId,
        source: kind,
        name,
        projectId,
        by,
        at: clock.now(),
      });
      await jobs.trigger(db, HOST_IMPORT);
      return importId;
    },
  };
}

export interface ReaderTask {
  path: string;
  source: Source;
}

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

/** Reads a file in its own thread, so that it does not block the process, and keeps one batch in memory. */
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

export const MOST_PEOPLE = 2000;
const MOST_SHOWN = 200;
const MOST_LOSSES = 100;
/** Links to rows beyond this number are reported as not imported. */
const MOST_LOOKED_UP = 2000;
export const MOST_STATES = 200;

interface Place {
  brandId: number;
  boardId: string;
  importId: string;
}

async function countUnlinked(
  db: Db | Tx,
  { brandId, boardId, importId }: Place,
  source: Source,
): Promise<number> {
  const { rows, total } = await importStore(db, brandId).listMissing(importId, MOST_LOOKED_UP);
  const otherTurns = yieldRegularly();
  const origins = new Map<string, string>();
  for (const { keys } of rows) {
    await otherTurns();
    for (const key of keys) origins.set(key, originOfKey(source, key));
  }
  const imported = await findImportedCards(db, brandId, boardId, [...new Set(origins.values())]);
  const isLinked = ({ keys }: { keys: string[] }) => keys.every((key) => imported.has(origins.get(key)!));
  return total - rows.filter(isLinked).length;
}

async function listLost(db: Db | Tx, place: Place, source: Source): Promise<Found['lost']> {
  const lost = await importStore(db, place.brandId).listLost(place.importId, MOST_LOSSES);
  const cards = await countUnlinked(db, place, source);
  return cards === 0 ? lost : [...lost, { what: LOSSES.links, cards }];
}

export function createRowStorage({ boards: { arrivals } }: Pick<ImportOptions, 'boards'>) {
  return {
    async saveRows(
      db: Db | Tx,
      { brandId, boardId, importId }: Place,
      found: readonly FoundRow[],
    ): Promise<void> {
      const records = found.flatMap((row) => ('record' in row ? row : []));
      const imported = await findImportedCards(
        db,
        brandId,
        boardId,
        records.map(({ origin }) => origin),
      );
      const addressed = await arrivals.findCardsByAddress(
        db,
        brandId,
        boardId,
        records.flatMap(({ record }) => record.url ?? []),
      );
      const rows = found.map((row): NewRow => {
        if ('reason' in row)
          return {
            seq: row.row,
            status: 'unreadable',
            origin: null,
            record: null,
            reason: row.reason,
            card_id: null,
          };
        const { record, origin, sameAs } = row;
        const card_id = imported.get(origin) ?? (record.url && addressed.get(record.url)) ?? null;
        const stored = { seq: row.row, origin, record };
        if (card_id) return { ...stored, status: 'known', reason: 'Imported before', card_id };
        if (sameAs !== undefined)
          return { ...stored, status: 'known', reason: `Same as row ${sameAs}`, card_id: null };
        return { ...stored, status: 'new', reason: null, card_id: null };
      });
      await importStore(db, brandId).addRows(importId, rows);
    },

    async summarize(db: Db | Tx, { brandId, boardId, importId }: Place, source: Source): Promise<Found> {
      const store = importStore(db, brandId);
      const states = await store.listStates(importId, MOST_STATES + 1);
      const named = await store.listPeople(importId, MOST_PEOPLE);
      const emails = named.flatMap(({ email }) => email ?? []);
      const known = new Map(
        (await arrivals.findPeopleByMail(db, brandId, boardId, emails)).map((person) => [
          person.email,
          person,
        ]),
      );
      const matched = named.flatMap(({ email }) => {
        const person = email === null ? undefined : known.get(email);
        return person ? [{ name: person.full_name, email: person.email, user_id: person.user_id }] : [];
      });
      const unmatched = named.flatMap(({ name, login, email }) =>
        email !== null && known.has(email) ? [] : (login ?? name) || email || [],
      );
      return {
        states,
        lost: await listLost(db, { brandId, boardId, importId }, source),
        people: {
          matched: matched.slice(0, MOST_SHOWN),
          unmatched: [...new Set(unmatched)].slice(0, MOST_SHOWN),
        },
      };
    },
  };
}
