import { DAY, HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { ForgeFailed, type PullRequest } from '../adapter/forge.js';
import type { ConnectedForge, ForgeAccess } from '../connection/forge-access.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import type { SyncCard } from './card-sync.js';
import { pauseHost, recordFailure as recordHostFailure } from './forge-sync.store.js';
import { askHost, type HostAnswer, limitPullRequest } from './host-answer.js';
import { type HostQueue, reportProgress } from './host-queue.js';
import { claimOpenings, type OpeningRow, openingStore } from './openings.store.js';
import { bodyOf, titleOf } from './pull-request-text.js';
import { isOpen, type PullRequestRow, pullRequestStore } from './pull-requests.store.js';

interface OpeningDeps extends Pick<ForgeOptions, 'db' | 'clock' | 'boards' | 'baseUrl' | 'builds' | 'jobs'> {
  access: Pick<ForgeAccess, 'find'>;
  findIssueOfCard(db: Db, brandId: number, cardId: string): Promise<number | undefined>;
  syncCard: SyncCard;
}

/** A call takes up to ten seconds; with a shorter lease another node could open a second pull request. */
const LEAST_LEFT_SECONDS = 20;

/** Retrying is pointless until a person changes something. */
export class NotOpened extends Error {
  override name = 'NotOpened';
}

export interface Opened {
  connected: ConnectedForge;
  number: number;
}

interface PullRequestText {
  title: string;
  body: string;
}

/** Retrying after any failure still leaves one open pull request for the card. */
export function createPullRequestOpener(deps: OpeningDeps) {
  const { db, clock, boards, baseUrl, builds, jobs, access, findIssueOfCard, syncCard } = deps;

  async function write(opening: OpeningRow): Promise<PullRequestText & { base: string }> {
    const { brand_id: brandId, build_id: buildId, card_id: cardId } = opening;
    const found = await boards.findCardToBuild(brandId, cardId);
    if (!found) throw new NotOpened('The card is gone');
    const build = await builds.getRow(brandId, buildId);
    const { ref, title } = found.card;
    const brief = await openingStore(db, brandId).findBrief(buildId);
    const issue = await findIssueOfCard(db, brandId, cardId);
    const facts = { ref, title, baseUrl, build, brief, issue };
    return { title: titleOf(facts), body: bodyOf(facts), base: build.base_branch };
  }

  /** Returns the card's open pull request if this work can update it, and closes it otherwise. */
  async function findReusable(
    connected: ConnectedForge,
    opening: OpeningRow,
  ): Promise<PullRequest | undefined> {
    const { forge } = connected;
    const store = pullRequestStore(db, opening.brand_id);
    const own = await store.findOpenOfCard(opening.card_id);
    if (!own) return undefined;
    const elsewhere = own.project_id !== opening.project_id;
    const its = elsewhere ? await access.find(opening.brand_id, own.project_id) : connected;
    if (!its) return void (await markClosed(own, opening));
    const pull = await its.forge.readPullRequest(own.number);
    if (!pull) {
      // Throws if the repository itself is inaccessible, so that nothing is marked as closed then.
      await its.forge.listOpenPullRequests();
      return void (await markClosed(own, opening));
    }
    if (!elsewhere && hasMergedCommit(pull, opening)) return pull;
    if (!isOpen(pull)) return void (await applyAnswer(own, pull));
    if (!elsewhere && pull.head.branch === opening.branch && !pull.foreign) return pull;
    await store.supersede(own.project_id, own.number, opening.build_id);
    const closed = await (elsewhere ? its.forge : forge).changePullRequest(own.number, { close: true });
    if (isOpen(closed)) throw new ForgeFailed('unreachable', `The host did not close #${own.number}`);
    await applyAnswer(own, closed);
    return undefined;
  }

  const applyAnswer = (own: Pick<PullRequestRow, 'brand_id' | 'project_id' | 'number'>, pull: PullRequest) =>
    inTransaction(db, (tx) => syncCard(tx, own, answerWith(pull, clock.now())));

  async function markClosed(own: PullRequestRow, { build_id }: OpeningRow): Promise<void> {
    await inTransaction(db, async (tx) => {
      const store = pullRequestStore(tx, own.brand_id);
      const row = await store.lock(own.project_id, own.number);
      if (!row || !isOpen(row)) return;
      await store.supersede(own.project_id, own.number, build_id);
      await store.save(own.project_id, own.number, { ...row, state: 'closed', look_at: null });
    });
  }

  /** A match is from an earlier try whose answer was lost. */
  async function findOpened({ forge }: ConnectedForge, { branch }: OpeningRow, base: string) {
    const there = (await forge.listOpenPullRequests({ branch })).filter(
      ({ head, foreign, state }) => head.branch === branch && !foreign && isOpen({ state }),
    );
    return there.find((each) => each.base.branch === base) ?? there[0];
  }

  async function openNew(
    connected: ConnectedForge,
    opening: OpeningRow,
    text: PullRequestText & { base: string },
  ) {
    const { title, body, base } = text;
    const { branch } = opening;
    if (secondsFrom(clock.now(), LEAST_LEFT_SECONDS) > opening.leased_until)
      throw new ForgeFailed('unreachable', 'The host took too long to answer');
    try {
      return await connected.forge.openPullRequest({ title, body, branch, base });
    } catch (error) {
      if (!(error instanceof ForgeFailed) || error.fault !== 'invalid') throw error;
      // Hosts reject a second pull request for a branch, even before the first one is in their list.
      const there = await findOpened(connected, opening, base);
      if (there) return connected.forge.changePullRequest(there.number, { title, body });
      // Nothing may be left to merge, because an earlier try's pull request is merged already.
      const over = await connected.forge.listOpenPullRequests({ branch, ended: true });
      const merged = over.find((each) => hasMergedCommit(each, opening));
      if (!merged) throw error;
      return merged;
    }
  }

  async function savePullRequest(opening: OpeningRow, pull: PullRequest): Promise<void> {
    const { brand_id: brandId, project_id, build_id: buildId, card_id, commit_sha: commit } = opening;
    await inTransaction(db, async (tx) => {
      const openings = openingStore(tx, brandId);
      const standing = await openings.hold(opening);
      if (standing === 'lost') return;
      const store = pullRequestStore(tx, brandId);
      const now = clock.now();
      const { mergeable: _, merged_at: __, ...facts } = limitPullRequest(pull);
      const made = { ...facts, project_id, number: pull.number, card_id, build_id: buildId };
      const fresh = await store.insert({ ...made, pushed_sha: commit, card_status: null, created_at: now });
      const row = await store.lock(project_id, pull.number);
      if (!row || row.card_id !== card_id)
        throw new NotOpened(`Pull request #${pull.number} of this branch is tied to another card`);
      await store.takeOver(project_id, pull.number, { buildId, commit });
      await syncCard(tx, row, answerWith(pull, now), { fresh, always: true });
      if (standing === 'ours') await openings.remove(opening);
      else {
        await openings.release(opening);
        await jobs.trigger(tx, OPENING_JOB);
      }
    });
  }

  return async function open(opening: OpeningRow, onProgress = () => {}): Promise<Opened> {
    const found = await access.find(opening.brand_id, opening.project_id);
    if (!found) throw new NotOpened('The project no longer has a repository host');
    const connected = { ...found, forge: reportProgress(found.forge, onProgress) };
    const text = await write(opening);
    const { title, body } = text;
    const there =
      (await findReusable(connected, opening)) ?? (await findOpened(connected, opening, text.base));
    const changed = there && (await connected.forge.changePullRequest(there.number, { title, body }));
    const isOver = changed && !isOpen(changed) && !hasMergedCommit(changed, opening);
    if (isOver) await applyAnswer({ ...opening, number: changed.number }, changed);
    const pull = changed && !isOver ? changed : await openNew(connected, opening, text);
    await savePullRequest(opening, pull);
    return { connected, number: pull.number };
  };
}

export const OPENING_JOB = 'forge-pulls';

const hasMergedCommit = ({ state, head, foreign }: PullRequest, { commit_sha }: OpeningRow): boolean =>
  state === 'merged' && head.sha === commit_sha && !foreign;

const answerWith = (pullRequest: PullRequest, askedAt: Date): HostAnswer => ({
  askedAt,
  pullRequest,
  checks: undefined,
  opinions: undefined,
  deployment: undefined,
});

interface OpeningJobDeps extends Pick<ForgeOptions, 'db' | 'clock' | 'log' | 'boards'> {
  openPullRequest(opening: OpeningRow, onProgress: () => void): Promise<Opened>;
  syncCard: SyncCard;
  queue: HostQueue;
}

const AT_ONCE = 16;
/** Longer than all calls of one opening take together. */
export const LEASE_SECONDS = 2 * MINUTE;
/** Seconds until the next try; after a rejection, a person may set another token meanwhile. */
const AFTER_UNREACHABLE = [
  5,
  10,
  20,
  40,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  DAY,
];
const AFTER_REFUSED = [10 * MINUTE, HOUR, 6 * HOUR, DAY];
const UNEXPECTED = 'Opening the pull request failed unexpectedly';

/** Retries failures and shows lasting ones on the card. */
export function createOpeningJob({
  db,
  clock,
  log,
  boards,
  openPullRequest,
  syncCard,
  queue,
}: OpeningJobDeps) {
  async function openOrRecordFailure(opening: OpeningRow, onProgress: () => void): Promise<boolean> {
    try {
      const opened = await openPullRequest(opening, onProgress);
      await syncOnce(opened, opening);
      return true;
    } catch (error) {
      await recordFailure(opening, error);
      return false;
    }
  }

  /** Shows existing checks and reviews early; the next sync requests them in any case. */
  async function syncOnce({ connected, number }: Opened, opening: OpeningRow) {
    const { brand_id, project_id } = opening;
    try {
      const { answer } = await askHost(connected, clock, number);
      if (answer) await inTransaction(db, (tx) => syncCard(tx, { brand_id, project_id, number }, answer));
    } catch (error) {
      if (!(error instanceof ForgeFailed)) log.error({ err: error, build: opening.build_id }, UNEXPECTED);
    }
  }

  async function recordFailure(opening: OpeningRow, error: unknown): Promise<void> {
    const isKnown = error instanceof ForgeFailed || error instanceof NotOpened;
    if (!isKnown) log.error({ err: error, build: opening.build_id }, UNEXPECTED);
    const now = clock.now();
    if (error instanceof ForgeFailed) {
      await recordHostFailure(db, opening, error);
      if (error.fault === 'limited') await pauseHost(db, opening, error, now);
    }
    const why = isKnown ? error.message : UNEXPECTED;
    const pauses = pausesAfter(error);
    const pause = pauses[opening.attempts - 1];
    const retryAt = error instanceof ForgeFailed && error.fault === 'limited' ? error.retryAt : null;
    const nextAt = pause === undefined ? null : later(retryAt, secondsFrom(now, pause));
    await inTransaction(db, async (tx) => {
      if (!(await openingStore(tx, opening.brand_id).noteFailed(opening, why, nextAt))) return;
      // A short outage of the host is not shown to people.
      if (pauses === AFTER_UNREACHABLE && nextAt) return;
      await boards.followCard(
        tx,
        opening.brand_id,
        opening.card_id,
        () => ({ values: { error_code: 'pr_not_opened', error_message: why } }),
        { build: opening.build_id },
      );
    });
  }

  return async ({
    signal,
    byHand = false,
  }: {
    signal: AbortSignal;
    byHand?: boolean;
  }): Promise<JobResult> => {
    const result = { processed: 0, failed: 0 };
    const tried: string[] = [];
    while (!signal.aborted) {
      const now = clock.now();
      const leaseEnd = secondsFrom(now, LEASE_SECONDS);
      const due = await claimOpenings(db, { now, leaseEnd, limit: AT_ONCE, byHand, except: tried });
      if (due.length === 0) break;
      tried.push(...due.map(({ build_id }) => build_id));
      const opened = await Promise.all(
        due.map((opening) =>
          queue.run(`opens ${opening.card_id}`, (onProgress) => openOrRecordFailure(opening, onProgress)),
        ),
      );
      for (const each of opened) if (each !== undefined) result[each ? 'processed' : 'failed'] += 1;
    }
    return result;
  };
}

function pausesAfter(error: unknown): readonly number[] {
  if (error instanceof NotOpened) return [];
  const mayPass =
    !(error instanceof ForgeFailed) || error.fault === 'unreachable' || error.fault === 'limited';
  return mayPass ? AFTER_UNREACHABLE : AFTER_REFUSED;
}

const later = (one: Date | null, other: Date): Date => (one && one > other ? one : other);
