import { secondsFrom } from '../../../kernel/clock.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { runWorkspaceTurns } from '../../../platform/jobs/workspace-turns.js';
import { ForgeFailed, type Issue } from '../../forges/index.js';
import { createOrigins } from '../readers/lineage.js';
import { MOST_ROWS } from '../readers/read-export.js';
import type { ConnectedHost, ImportOptions } from '../record/imports.options.js';
import { type ImportRow, importStore } from '../record/imports.store.js';
import { openImports } from '../record/turns.store.js';
import { recordOfIssue } from './host-issues.js';
import type { FoundRow } from './reader.js';
import { createTakingIn } from './taking-in.js';

/** Hosts answer slowly at worst; reading them takes no memory to speak of. */
const AT_ONCE = 16;
/** Then the workspace's next import has its turn. */
const LONGEST_TURN_MS = 30_000;
/** Far more than a turn takes: one issue more, with all pages of its comments. */
const LEASE_SECONDS = 5 * 60;
const NEXT_TRY_SECONDS = 60;
/** A host that cannot be reached for so long is given up. */
const GIVEN_UP_SECONDS = 6 * 60 * 60;
/** However slowly a host answers. */
const LONGEST_READING_SECONDS = 24 * 60 * 60;
/** A host that lists pull requests among its issues has pages without any. */
const MOST_PAGES = 10_000;
/** Hosts have eight levels of issues at most. */
const DEEPEST = 10;
const CHARACTERS_AT_ONCE = 1_000_000;

/** Reads the issues of connected hosts, import by import: each is claimed, has a turn, and goes on at its page. */
export function createHostReading(options: ImportOptions) {
  const { db, clock, log, findHost } = options;
  const takingIn = createTakingIn(options);

  /** Reads on until there is nothing more, or the turn is over; whether there is nothing more. */
  async function readOn(open: ImportRow, host: ConnectedHost, hasTime: () => boolean): Promise<boolean> {
    const store = importStore(db, open.brand_id);
    const place = { brandId: open.brand_id, boardId: open.board_id, importId: open.import_id };
    let { page, pages_read: pages, rows_read: rows } = open;
    for (;;) {
      const { issues, next } = await host.forge.listIssues({ state: 'all', ...(page !== null && { page }) });
      const known = await store.listSeqs(
        open.import_id,
        issues.map(({ number }) => number),
      );
      const unread = issues.filter(({ number }) => !known.has(number));
      const isWhole = await readIssues(host, open, unread, hasTime, (found) =>
        takingIn.takeRows(db, place, found),
      );
      if (!isWhole) return false;
      [pages, rows] = [pages + 1, rows + issues.length];
      if (next === undefined) return true;
      if (rows >= MOST_ROWS || pages >= MOST_PAGES)
        throw new ForgeFailed(
          'invalid',
          `The repository has more than ${MOST_ROWS.toLocaleString('en')} issues, or too many pages of other things; import exported files in parts`,
        );
      await store.notePage(open.import_id, open.look_at!, next, issues.length);
      page = next;
      if (!hasTime()) return false;
    }
  }

  /** With their comments, one by one. At least one, so that every turn comes further. */
  async function readIssues(
    { forge }: ConnectedHost,
    { source }: ImportRow,
    issues: readonly Issue[],
    hasTime: () => boolean,
    keep: (rows: FoundRow[]) => Promise<void>,
  ): Promise<boolean> {
    const origins = createOrigins(source);
    let rows: FoundRow[] = [];
    let characters = 0;
    for (const [index, issue] of issues.entries()) {
      const comments = await readComments(forge, issue).catch(async (error: unknown) => {
        // What was read before is not asked for again.
        await keep(rows);
        throw error;
      });
      const record = recordOfIssue(issue, comments);
      const row = issue.number;
      rows.push(
        typeof record === 'string' ? { row, reason: record } : { row, record, ...origins.of(row, record) },
      );
      characters += JSON.stringify(record).length;
      const isOver = index < issues.length - 1 && !hasTime();
      if (!isOver && characters < CHARACTERS_AT_ONCE) continue;
      await keep(rows);
      if (isOver) return false;
      [rows, characters] = [[], 0];
    }
    await keep(rows);
    return true;
  }

  const readComments = async (forge: ConnectedHost['forge'], { number, commentCount }: Issue) =>
    commentCount === 0 ? [] : forge.listComments(number);

  async function conclude({ import_id, brand_id, board_id, source }: ImportRow): Promise<void> {
    const store = importStore(db, brand_id);
    await store.linkByAddress(import_id, DEEPEST);
    const place = { brandId: brand_id, boardId: board_id, importId: import_id };
    const found = await takingIn.sumUp(db, place, source);
    await store.finishReading(import_id, await store.countRows(import_id), found);
  }

  async function fail(open: ImportRow, error: unknown): Promise<void> {
    const store = importStore(db, open.brand_id);
    const now = clock.now();
    const passes =
      !(error instanceof ForgeFailed) || error.fault === 'unreachable' || error.fault === 'limited';
    const words = error instanceof ForgeFailed ? error.message : 'It could not be read; it is tried again';
    if (!(error instanceof ForgeFailed))
      log.error({ err: error, import_id: open.import_id }, 'An import could not be read');
    const isTooLate = now.getTime() - open.created_at.getTime() > GIVEN_UP_SECONDS * 1000;
    if (!passes || isTooLate) return store.end(open.import_id, 'failed', words, now);
    const later = secondsFrom(now, NEXT_TRY_SECONDS);
    const asked = error instanceof ForgeFailed ? error.retryAt : null;
    await store.release(open.import_id, open.look_at!, asked && asked > later ? asked : later, words);
  }

  async function takeTurn(open: ImportRow, signal: AbortSignal): Promise<void> {
    const store = importStore(db, open.brand_id);
    const now = clock.now();
    if (now.getTime() - open.created_at.getTime() > LONGEST_READING_SECONDS * 1000)
      return store.end(
        open.import_id,
        'failed',
        'The host answers too slowly: it was not read within 24 hours. Import an exported file',
        now,
      );
    const host = await findHost(open.brand_id, open.project_id!);
    if (!host)
      return store.end(open.import_id, 'failed', 'The project is not connected to a host any more', now);
    const end = performance.now() + LONGEST_TURN_MS;
    const hasTime = () => !signal.aborted && performance.now() < end;
    if (await readOn(open, host, hasTime)) await conclude(open);
    else await store.release(open.import_id, open.look_at!, clock.now());
  }

  return {
    async readHosts(signal: AbortSignal): Promise<PassResult> {
      const result = { processed: 0, failed: 0 };
      await runWorkspaceTurns<ImportRow>({
        atOnce: AT_ONCE,
        signal,
        claimNext: (place) => {
          const now = clock.now();
          return openImports(db).claimHost(place, now, secondsFrom(now, LEASE_SECONDS));
        },
        work: async (open) => {
          try {
            await takeTurn(open, signal);
            result.processed += 1;
          } catch (error) {
            result.failed += 1;
            await fail(open, error).catch((err: unknown) =>
              log.error({ err, import_id: open.import_id }, 'A turn of an import could not be noted'),
            );
          }
        },
      });
      return result;
    },
  };
}
