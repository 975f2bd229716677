import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { type Forge, ForgeFailed, type Issue, type IssueQuery } from '../adapter/forge.js';
import { forgeStore } from '../connection/connection.store.js';
import type { ConnectedForge } from '../connection/forge-access.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { createIssueCards, type IssueSource } from './issue-cards.js';
import { issueStore } from './issues.store.js';

/** Hosts write times by clocks of their own, and some to the second only. */
const OVERLAP_SECONDS = MINUTE;
/** How far back the first question after the very first one goes, where that found nothing. */
const FIRST_LOOK_BACK_SECONDS = HOUR;
const MOST_PAGES = 1000;
const MOST_TOLD = 100;
/** Longer than a call may take: whoever was about to tell it is gone by then. */
const TELLING_SECONDS = 2 * MINUTE;

type IssuePassOptions = Pick<ForgeOptions, 'db' | 'clock' | 'boards' | 'projects' | 'baseUrl'>;

/** Issues that carry the label become cards, and are told so; what is said here may be said again. */
export function createIssuePass(options: IssuePassOptions) {
  const { db, clock, projects } = options;
  const cards = createIssueCards(options);
  const base = options.baseUrl.replace(/\/+$/, '');

  async function lookAtPage(source: IssueSource, issues: readonly Issue[]): Promise<void> {
    const known = await issueStore(db, source).listKnown(issues.map(({ number }) => number));
    for (const issue of issues) {
      if (known.has(issue.number)) await cards.follow(source, issue);
      else if (cards.isWanted(source, issue)) await cards.arrive(source, issue);
    }
  }

  /** At first those that carry the label now; from then on whatever changed, also what does not carry it any more. */
  async function lookAtIssues(
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
      // Issues carry the host's time, so its clock says how far back to look.
      newest ??= secondsFrom(hostTime ?? clock.now(), -FIRST_LOOK_BACK_SECONDS);
      await lookAtPage(source, issues);
      for (const { updatedAt } of issues) if (updatedAt > newest) newest = updatedAt;
      // Those that changed last come last: what is behind us needs no second look.
      if (seenTo || next === undefined) await store.noteSeenTo(newest, connectedAt);
      if (next === undefined) return;
      page = next;
    }
  }

  async function tellIssues(forge: Forge, source: IssueSource): Promise<void> {
    const store = issueStore(db, source);
    const now = clock.now();
    const untold = await store.claimUntold(now, secondsFrom(now, TELLING_SECONDS), MOST_TOLD);
    const left = new Set(untold.map(({ number }) => number));
    let failure: unknown;
    for (const { number, ref } of untold) {
      try {
        await forge.commentOnIssue(number, `This issue is card ${ref}: ${base}/dashboard/cards/${ref}`);
        await store.noteTold(number, clock.now());
        left.delete(number);
      } catch (error) {
        const fault = error instanceof ForgeFailed ? error.fault : undefined;
        // Where there is no such issue any more there is nobody to tell.
        if (fault === 'missing') await store.noteTold(number, clock.now());
        else failure = error;
        if (fault !== 'missing' && fault !== 'refused' && fault !== 'invalid') break;
      }
    }
    if (left.size > 0) await store.noteUntold([...left]);
    if (failure) throw failure;
  }

  return async ({ forge, brandId, projectId }: ConnectedForge): Promise<void> => {
    const row = await forgeStore(db, brandId).find(projectId);
    if (!row || row.issues_label === null) return;
    const { kind, repository, issues_label: label } = row;
    const name = (await projects.findProject(brandId, projectId))?.name ?? repository;
    const source: IssueSource = { brandId, projectId, kind, repository, label, project: name };
    await lookAtIssues(forge, source, row.issues_seen_to, row.connected_at);
    await tellIssues(forge, source);
  };
}
