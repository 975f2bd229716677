import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { type Forge, ForgeFailed, type Issue, type IssueQuery } from '../adapter/forge.js';
import { forgeStore } from '../connection/connection.store.js';
import type { ConnectedForge } from '../connection/forge-access.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { createIssueCards, type IssueSource } from './issue-cards.js';
import { issueStore } from './issues.store.js';

/** Hosts have clocks of their own, and some tell times in whole seconds. */
const OVERLAP_SECONDS = MINUTE;
/** How far back the second sync looks where the first one found no issue. */
const LOOK_BACK_SECONDS = HOUR;
const MOST_PAGES = 1000;
const MOST_COMMENTED = 100;
/** Longer than a call may take, so a node that has not commented by then has died. */
const COMMENTING_SECONDS = 2 * MINUTE;

type IssueSyncOptions = Pick<ForgeOptions, 'db' | 'clock' | 'boards' | 'projects' | 'baseUrl'>;

/** Issues with the label become cards and get a comment with the card's address; repeating a sync changes nothing. */
export function createIssueSync(options: IssueSyncOptions) {
  const { db, clock, projects } = options;
  const cards = createIssueCards(options);
  const base = options.baseUrl.replace(/\/+$/, '');

  async function syncPage(source: IssueSource, issues: readonly Issue[]): Promise<void> {
    const known = await issueStore(db, source).listKnown(issues.map(({ number }) => number));
    for (const issue of issues) {
      if (known.has(issue.number)) await cards.sync(source, issue);
      else if (cards.isWanted(source, issue)) await cards.add(source, issue);
    }
  }

  /** At first the open issues with the label; afterwards all changed issues, since they may have lost the label. */
  async function syncChangedIssues(
    forge: Forge,
    source: IssueSource,
    seenTo: Date | null,
    connectedAt: Date,
  ): Promise<void> {
    const store = issueStore(db, source);
    const query: IssueQuery = seenTo
      ? { state: 'all', since: secondsFrom(seenTo, -OVERLAP_SECONDS) }
      : { state: 'open', label: source.label };
    let newest = seenTo;
    let page: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const { issues, next, hostTime } = await forge.listIssues({
        ...query,
        ...(page !== undefined && { page }),
      });
      // Issues have the host's times, so its clock decides how far back to look.
      newest ??= secondsFrom(hostTime ?? clock.now(), -LOOK_BACK_SECONDS);
      await syncPage(source, issues);
      for (const { updatedAt } of issues) if (updatedAt > newest) newest = updatedAt;
      // The last changed come last, so the pages read so far need not be read again.
      if (seenTo || next === undefined) await store.saveSyncedUntil(newest, connectedAt);
      if (next === undefined) return;
      page = next;
    }
  }

  async function commentOnIssues(forge: Forge, source: IssueSource): Promise<void> {
    const store = issueStore(db, source);
    const now = clock.now();
    const uncommented = await store.claimUncommented(
      now,
      secondsFrom(now, COMMENTING_SECONDS),
      MOST_COMMENTED,
    );
    const left = new Set(uncommented.map(({ number }) => number));
    let failure: unknown;
    for (const { number, ref } of uncommented) {
      try {
        await forge.commentOnIssue(number, `This issue is card ${ref}: ${base}/dashboard/cards/${ref}`);
        await store.noteCommented(number, clock.now());
        left.delete(number);
      } catch (error) {
        const fault = error instanceof ForgeFailed ? error.fault : undefined;
        // A deleted issue needs no comment.
        if (fault === 'missing') await store.noteCommented(number, clock.now());
        else failure = error;
        if (fault !== 'missing' && fault !== 'refused' && fault !== 'invalid') break;
      }
    }
    if (left.size > 0) await store.releaseComments([...left]);
    if (failure) throw failure;
  }

  return async ({ forge, brandId, projectId }: ConnectedForge): Promise<void> => {
    const row = await forgeStore(db, brandId).find(projectId);
    if (!row || row.issues_label === null) return;
    const { kind, repository, issues_label: label } = row;
    const name = (await projects.findProject(brandId, projectId))?.name ?? repository;
    const source: IssueSource = { brandId, projectId, kind, repository, label, project: name };
    await syncChangedIssues(forge, source, row.issues_seen_to, row.connected_at);
    await commentOnIssues(forge, source);
  };
}
