import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { FairQueue } from '../../../kernel/fair-queue.js';
import { newId } from '../../../kernel/ids.js';
import type { SpooledFile } from '../../../platform/http/declaration/route.js';
import { fileTooLarge, noHost, otherHost, tooManyStates, unreadableFile } from '../imports.errors.js';
import { type Source, UnreadableExport } from '../readers/record.js';
import type { ImportOptions } from '../record/imports.options.js';
import { importStore } from '../record/imports.store.js';
import { readInThread } from './reader-thread.js';
import { createRowStorage, MOST_STATES } from './row-storage.js';

const LONGEST_NAME = 200;
export const HOST_IMPORT = 'host-import';

export function createReadingService(options: ImportOptions) {
  const { db, clock, jobs, findHost, boards } = options;
  const storage = createRowStorage(options);
  /** Each reader may take much memory, so one workspace never has both places. */
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
    /** Reads and stores the file before the request is answered. */
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

    /** Makes the import visible once everything is read. */
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

    /** Requests that a job reads the issues of a project's repository. */
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
