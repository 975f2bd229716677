import type { Db, Tx } from '../../../database/database.js';
import type { SpooledFile } from '../../../http/declaration/route.js';
import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { secondsFrom } from '../../../kernel/clock.js';
import { Gate } from '../../../kernel/gate.js';
import { newId } from '../../../kernel/ids.js';
import { ForgeFailed } from '../../forges/forges.service.js';
import { fileTooLarge, noHost, otherHost, tooManyStates, unreadableFile } from '../imports.errors.js';
import type { ImportOptions } from '../imports.options.js';
import { type ImportRow, importStore } from '../imports.store.js';
import { CARD_IMPORT } from '../making/making.service.js';
import { MOST_ROWS } from '../readers/read-export.js';
import { type Source, UnreadableExport } from '../readers/record.js';
import { listOpenImports } from '../turns.store.js';
import { readHostPage } from './host-issues.js';
import { readInThread } from './reader.js';
import { createTakingIn, MOST_STATES } from './taking-in.js';

const LONGEST_NAME = 200;
const NEXT_TRY_SECONDS = 60;
/** A host that cannot be reached for so long is given up. */
const GIVEN_UP_SECONDS = 6 * 60 * 60;
const AT_ONCE = 10;

export function createReadingService(options: ImportOptions) {
  const { db, clock, log, jobs, findHost, boards } = options;
  const takingIn = createTakingIn(options);
  /** Each may take a lot of memory. */
  const readers = new Gate(2);

  async function readFile(
    place: { brandId: number; boardId: string; importId: string },
    source: Source,
    path: string,
  ) {
    const store = importStore(db, place.brandId);
    for await (const piece of readInThread({ path, source })) {
      if ('rows' in piece) await takingIn.takeRows(db, place, piece.rows);
      else await store.addDescents(place.importId, piece.descents);
    }
  }

  /** What was read becomes known to whoever asked: until then nobody sees it. */
  async function conclude(
    within: Db | Tx,
    brandId: number,
    boardId: string,
    importId: string,
  ): Promise<void> {
    const store = importStore(within, brandId);
    const found = await takingIn.sumUp(within, { brandId, boardId, importId });
    await store.finishReading(importId, await store.countRows(importId), found);
  }

  /** Nothing more is to be read, or the host has to be asked again later. */
  async function readHost(open: ImportRow): Promise<void> {
    const { import_id: importId, brand_id: brandId, board_id: boardId } = open;
    const store = importStore(db, brandId);
    const host = await findHost(brandId, open.project_id!);
    if (!host)
      return store.end(importId, 'failed', 'The project is not connected to a host any more', clock.now());
    let page = open.page ?? undefined;
    for (let read = 0; read < MOST_ROWS; ) {
      const { rows, next } = await readHostPage(host, open.source, page);
      await takingIn.takeRows(db, { brandId, boardId, importId }, rows);
      read += Math.max(1, rows.length);
      if (next === undefined) break;
      page = next;
      await store.notePage(importId, next, clock.now());
    }
    await conclude(db, brandId, boardId, importId);
  }

  async function readHostOrLater({
    import_id,
    brand_id,
  }: {
    import_id: string;
    brand_id: number;
  }): Promise<boolean> {
    const store = importStore(db, brand_id);
    const open = await store.find(import_id);
    if (open?.status !== 'reading') return true;
    try {
      await readHost(open);
      return true;
    } catch (error) {
      const now = clock.now();
      const passes =
        !(error instanceof ForgeFailed) || error.fault === 'unreachable' || error.fault === 'limited';
      const words = error instanceof ForgeFailed ? error.message : 'It could not be read; it is tried again';
      if (!(error instanceof ForgeFailed))
        log.error({ err: error, import_id }, 'An import could not be read');
      const tooLate = now.getTime() - open.created_at.getTime() > GIVEN_UP_SECONDS * 1000;
      if (!passes || tooLate) await store.end(import_id, 'failed', words, now);
      else {
        const later = secondsFrom(now, NEXT_TRY_SECONDS);
        const asked = error instanceof ForgeFailed ? error.retryAt : null;
        await store.postpone(import_id, words, asked && asked > later ? asked : later);
      }
      return false;
    }
  }

  return {
    /** Reads the file and keeps what stands in it, before the request says that it is an import. */
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
        await readers.pass(() => readFile({ brandId, boardId, importId }, source, file.path));
        const states = await store.listStates(importId, MOST_STATES + 1);
        if (states.length > MOST_STATES) throw tooManyStates(MOST_STATES);
        return importId;
      } catch (error) {
        await store.remove(importId);
        throw error instanceof UnreadableExport ? unreadableFile(error.message) : error;
      }
    },

    conclude: (caller: MemberCaller, boardId: string, importId: string) =>
      conclude(db, caller.brandId, boardId, importId),

    /** Begins to read the issues of a project's repository; the pass does it. */
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
      await jobs.trigger(db, CARD_IMPORT);
      return importId;
    },

    async readHosts(signal: AbortSignal): Promise<{ processed: number; failed: number }> {
      let [processed, failed] = [0, 0];
      for (const open of await listOpenImports(db, 'reading', clock.now(), AT_ONCE)) {
        if (signal.aborted) break;
        if (await readHostOrLater(open)) processed += 1;
        else failed += 1;
      }
      return { processed, failed };
    },
  };
}
