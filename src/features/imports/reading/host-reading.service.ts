import { secondsFrom } from '../../../kernel/clock.js';
import { runRoundRobin } from '../../../platform/jobs/batches.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { ForgeFailed, type Issue, type IssueComment } from '../../forges/index.js';
import { MOST_ROWS } from '../readers/read-export.js';
import { type ImportRecord, type Someone, tidyRecord } from '../readers/record.js';
import { createOrigins } from '../readers/row-links.js';
import { prefixLabels } from '../readers/values.js';
import { openImports } from '../record/batches.store.js';
import type { ConnectedHost, ImportOptions } from '../record/imports.options.js';
import { type ImportRow, importStore } from '../record/imports.store.js';
import type { FoundRow } from './reading.service.js';
import { createRowStorage } from './reading.service.js';

/** High, because waiting for a slow host uses hardly any memory. */
const AT_ONCE = 16;
/** After this time the next import of the workspace continues. */
const LONGEST_RUN_MS = 30_000;
/** Longer than a run plus one more issue with all its comments. */
const LEASE_SECONDS = 5 * 60;
const NEXT_TRY_SECONDS = 60;
/** Since the first of the failures without progress in between; a failure after this time is final. */
const LONGEST_OUTAGE_SECONDS = 6 * 60 * 60;
/** An import fails after this long even if its host still answers. */
const LONGEST_READING_SECONDS = 24 * 60 * 60;
/** High, because a host that lists pull requests among its issues has pages without any issue. */
const MOST_PAGES = 10_000;
/** Repository hosts allow at most eight levels of issues. */
const DEEPEST = 10;
const CHARACTERS_AT_ONCE = 1_000_000;

export function createHostReading(options: ImportOptions) {
  const { db, clock, log, findHost } = options;
  const storage = createRowStorage(options);

  /** Returns true at the end of the list, false when the time is up. */
  async function readOn(open: ImportRow, host: ConnectedHost, hasTime: () => boolean): Promise<boolean> {
    const store = importStore(db, open.brand_id);
    const place = { brandId: open.brand_id, boardId: open.board_id, importId: open.import_id };
    let { page, pages_read: pages, rows_read: rows } = open;
    for (;;) {
      const { issues, next } = await host.forge.listIssues({ state: 'all', ...(page !== null && { page }) });
      const known = await store.listStoredRows(
        open.import_id,
        issues.map(({ number }) => number),
      );
      const unread = issues.filter(({ number }) => !known.has(number));
      const isWhole = await readIssues(host, open, unread, hasTime, (found) =>
        storage.saveRows(db, place, found),
      );
      if (!isWhole) return false;
      [pages, rows] = [pages + 1, rows + issues.length];
      if (next === undefined) return true;
      if (rows >= MOST_ROWS || pages >= MOST_PAGES)
        throw new ForgeFailed(
          'invalid',
          `The repository has more than ${MOST_ROWS.toLocaleString('en')} issues, or too many pages of other things; import exported files in parts`,
        );
      await store.savePage(open.import_id, open.look_at!, next, issues.length);
      page = next;
      if (!hasTime()) return false;
    }
  }

  /** Reads at least one issue with its comments, so that every run makes progress. */
  async function readIssues(
    { forge }: ConnectedHost,
    { source }: ImportRow,
    issues: readonly Issue[],
    hasTime: () => boolean,
    save: (rows: FoundRow[]) => Promise<void>,
  ): Promise<boolean> {
    const origins = createOrigins(source);
    let rows: FoundRow[] = [];
    let characters = 0;
    for (const [index, issue] of issues.entries()) {
      const comments = await readComments(forge, issue).catch(async (error: unknown) => {
        // Saves the rows that were read, so that a retry does not request them again.
        await save(rows);
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
      await save(rows);
      if (isOver) return false;
      [rows, characters] = [[], 0];
    }
    await save(rows);
    return true;
  }

  const readComments = async (forge: ConnectedHost['forge'], { number, commentCount }: Issue) =>
    commentCount === 0 ? [] : forge.listComments(number);

  async function conclude({ import_id, brand_id, board_id, source }: ImportRow): Promise<void> {
    const store = importStore(db, brand_id);
    await store.linkByAddress(import_id, DEEPEST);
    const place = { brandId: brand_id, boardId: board_id, importId: import_id };
    const found = await storage.summarize(db, place, source);
    await store.finishReading(import_id, await store.countRows(import_id), found);
  }

  async function fail(open: ImportRow, error: unknown): Promise<void> {
    const store = importStore(db, open.brand_id);
    const now = clock.now();
    const isTemporary =
      !(error instanceof ForgeFailed) || error.fault === 'unreachable' || error.fault === 'limited';
    const words =
      error instanceof ForgeFailed ? error.message : 'The import could not be read. Guildhall tries again';
    if (!(error instanceof ForgeFailed))
      log.error({ err: error, import_id: open.import_id }, 'An import could not be read');
    const failingSince = (await store.find(open.import_id))?.found.failing_since;
    const since = failingSince === undefined ? now : new Date(failingSince);
    const isTooLate = now.getTime() - since.getTime() > LONGEST_OUTAGE_SECONDS * 1000;
    if (!isTemporary || isTooLate) return store.end(open.import_id, 'failed', words, now);
    const later = secondsFrom(now, NEXT_TRY_SECONDS);
    const asked = error instanceof ForgeFailed ? error.retryAt : null;
    await store.release(open.import_id, open.look_at!, asked && asked > later ? asked : later, {
      message: words,
      since,
    });
  }

  async function continueReading(open: ImportRow, signal: AbortSignal): Promise<void> {
    const store = importStore(db, open.brand_id);
    const now = clock.now();
    if (now.getTime() - open.created_at.getTime() > LONGEST_READING_SECONDS * 1000)
      return store.end(
        open.import_id,
        'failed',
        'The repository host is too slow: reading took more than 24 hours. Import an exported file instead',
        now,
      );
    const host = await findHost(open.brand_id, open.project_id!);
    if (!host) return store.end(open.import_id, 'failed', 'The project no longer has a repository host', now);
    const end = performance.now() + LONGEST_RUN_MS;
    const hasTime = () => !signal.aborted && performance.now() < end;
    if (await readOn(open, host, hasTime)) await conclude(open);
    else await store.release(open.import_id, open.look_at!, clock.now());
  }

  return {
    async readHosts(signal: AbortSignal): Promise<JobResult> {
      const result = { processed: 0, failed: 0 };
      await runRoundRobin<ImportRow>({
        atOnce: AT_ONCE,
        signal,
        claimNext: (place) => {
          const now = clock.now();
          return openImports(db).claimHost(place, now, secondsFrom(now, LEASE_SECONDS));
        },
        work: async (open) => {
          try {
            await continueReading(open, signal);
            result.processed += 1;
          } catch (error) {
            result.failed += 1;
            await fail(open, error).catch((err: unknown) =>
              log.error({ err, import_id: open.import_id }, 'The failure of an import could not be recorded'),
            );
          }
        },
      });
      return result;
    },
  };
}

const recordOfIssue = (issue: Issue, comments: readonly IssueComment[]): ImportRecord | string =>
  tidyRecord({
    keys: [issue.url, String(issue.number)],
    parent: issue.parent,
    url: issue.url,
    title: issue.title,
    body: issue.body,
    state: issue.open ? 'open' : issue.isCanceled ? 'not planned' : 'closed',
    labels: [...issue.labels, ...prefixLabels('milestone', issue.milestone)],
    assignee: issue.assignees[0] ?? null,
    others: issue.assignees.slice(1),
    reporter: someoneOf(issue.author),
    dueAt: issue.dueAt?.toISOString() ?? null,
    createdAt: issue.createdAt.toISOString(),
    completedAt: issue.closedAt?.toISOString() ?? null,
    comments: comments.map(({ author, body, at }) => ({
      author: someoneOf(author),
      at: at.toISOString(),
      body,
    })),
  });

const someoneOf = (login: string): Someone => ({ name: login, email: null, login });
