import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../../kernel/actors.js';
import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { Tx } from '../../../platform/database/database.js';
import type { InboxKind, WebhookEvent } from '../../../platform/outbox/outbox.js';
import type { FollowedChange, FullCard } from '../../boards/index.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import {
  checksStateOf,
  findLastChangeRequest,
  type HostAnswer,
  limitAddress,
  limitChecks,
  limitComments,
  limitPullRequest,
  limitReviews,
  limitText,
  listDecisions,
  reviewStateOf,
} from './host-answer.js';
import {
  isOpen,
  type PullRequestRow,
  pullRequestStore,
  type SeenPullRequest,
} from './pull-requests.store.js';

/** A deployment appears some time after the merge, and a closed pull request may be reopened. */
const AFTER_MERGE = [1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE);
const AFTER_CLOSE = Array.from({ length: 24 }, () => HOUR);

/** Card errors that an open pull request clears. */
const OWN_ERRORS: readonly (string | null)[] = ['pr_closed', 'pr_not_opened'];

export interface SyncedPullRequest {
  before: PullRequestRow;
  row: PullRequestRow;
}

export interface SyncReason {
  /** True if the card has this pull request for the first time. */
  fresh?: boolean;
  always?: boolean;
  actor?: Actor | null;
}

export type SyncCard = ReturnType<typeof createCardSync>;

export function createCardSync({ boards, outbox, inbox }: Pick<ForgeOptions, 'boards' | 'outbox' | 'inbox'>) {
  async function updateCard(
    tx: Tx,
    { before, row }: SyncedPullRequest,
    news: readonly News[],
    { fresh = false, actor = null }: SyncReason,
  ): Promise<void> {
    let ref: string | undefined;
    await boards.followCard(
      tx,
      row.brand_id,
      row.card_id,
      (card, statusOfBuild) => {
        ref = card.ref;
        return { values: valuesOf(row), ...decideChange({ before, row, card, statusOfBuild, fresh }) };
      },
      { actor, ...(row.build_id !== null && { build: row.build_id }) },
    );
    if (ref !== undefined) await notifyOfPullRequest({ outbox, inbox }, tx, { row, ref, news });
  }

  /**
   * Applies one answer in the caller's transaction. Undefined if it changes nothing, because a later answer
   * was applied before or no card has this pull request.
   */
  return async function syncCard(
    tx: Tx,
    of: Pick<PullRequestRow, 'brand_id' | 'project_id' | 'number'>,
    answer: HostAnswer,
    reason: SyncReason = {},
  ): Promise<SyncedPullRequest | undefined> {
    const store = pullRequestStore(tx, of.brand_id);
    const before = await store.lock(of.project_id, of.number);
    if (!before || (before.seen_at && before.seen_at > answer.askedAt)) return undefined;
    const seen = mergeAnswer(before, answer);
    const row: PullRequestRow = { ...before, ...seen };
    if (!isOpen(before) && isOpen(row)) {
      const other = await store.findOpenOfCard(row.card_id);
      if (other) return void (await store.scheduleSync(of.project_id, of.number, null));
    }
    await store.save(of.project_id, of.number, seen);
    const shown = await store.findOfCard(row.card_id);
    const isReplaced = row.superseded_by !== null && row.state === 'closed';
    if (shown?.number !== row.number || shown.project_id !== row.project_id || isReplaced)
      return { before, row };
    const news = listNews(reason.fresh ? undefined : before, row);
    const changed = reason.fresh || reason.always || !isDeepStrictEqual(valuesOf(before), valuesOf(row));
    if (changed || news.length > 0) await updateCard(tx, { before, row }, news, reason);
    return { before, row };
  };
}

/** For the same head, a missing part of the answer keeps its previous value. */
function mergeAnswer(before: PullRequestRow, answer: HostAnswer): SeenPullRequest {
  const { askedAt, pullRequest, checks, opinions, deployment } = answer;
  const facts = limitPullRequest(pullRequest);
  // A merge is final: an answer without it is older than the merge.
  const state = before.state === 'merged' ? 'merged' : facts.state;
  const sameHead = facts.head_sha === before.head_sha;
  const reviews = opinions ? limitReviews(opinions.reviews, askedAt) : before.reviews;
  return {
    ...facts,
    url: facts.url || before.url,
    state,
    merged_at: state === 'merged' ? (facts.merged_at ?? before.merged_at ?? askedAt) : null,
    checks: checks ? limitChecks(checks) : sameHead ? before.checks : [],
    checks_state: checks ? checksStateOf(checks) : sameHead ? before.checks_state : 'none',
    reviews,
    review_state: reviewStateOf(reviews, pullRequest.reviewRequested),
    comments: opinions ? limitComments(opinions.comments, askedAt) : before.comments,
    ended_at: isOpen({ state }) ? null : (before.ended_at ?? askedAt),
    deploy_url: deployment === undefined ? (sameHead ? before.deploy_url : null) : limitAddress(deployment),
    seen_at: askedAt,
    ...nextLook(before, state, askedAt),
  };
}

function nextLook(before: PullRequestRow, state: PullRequestRow['state'], askedAt: Date) {
  if (state === 'open' || state === 'draft') return { look_at: null, look_attempts: 0 };
  const attempts = before.state === state ? before.look_attempts : 0;
  const pause = (state === 'merged' ? AFTER_MERGE : AFTER_CLOSE)[attempts];
  return {
    look_at: pause === undefined ? null : secondsFrom(askedAt, pause),
    look_attempts: attempts + 1,
  };
}

const valuesOf = (row: PullRequestRow) => ({
  pr_number: row.number,
  pr_url: row.url || null,
  pr_state: row.state,
  checks_state: row.checks_state,
  review_state: row.review_state,
  merged_at: row.merged_at?.toISOString() ?? null,
  deploy_url: row.deploy_url,
});

interface Situation extends SyncedPullRequest {
  card: FullCard;
  statusOfBuild: string | null;
  fresh: boolean;
}

/** A person's own change of status takes precedence. */
function decideChange(situation: Situation): Partial<FollowedChange> {
  const { before, row, card, fresh } = situation;
  const values = valuesOf(row);
  const change = (more: FollowedChange['values'], status?: FollowedChange['status']) => ({
    values: { ...values, ...more },
    ...(status && { status }),
  });
  const noError = { error_code: null, error_message: null };
  if (row.state === 'merged' && (fresh || before.state !== 'merged'))
    return isOurs(situation) ? change(noError, 'done') : {};
  if (row.state === 'closed' && !fresh && before.state !== 'closed')
    return isOurs(situation) ? change(closedError(row), 'blocked') : {};
  if (isOpen(row) && OWN_ERRORS.includes(card.error_code)) {
    const isBack = card.error_code === 'pr_closed' && card.status === 'blocked' && isOurs(situation);
    return change(noError, isBack ? 'in_review' : undefined);
  }
  return {};
}

export const closedError = ({ number }: Pick<PullRequestRow, 'number'>) => ({
  error_code: 'pr_closed',
  error_message: `Pull request #${number} was closed without being merged`,
});

/** True if the status of the card still comes from the work on this pull request and not from a person. */
function isOurs({ row, card, statusOfBuild }: Situation): boolean {
  // A merge counts even while a later attempt runs; a closed pull request is shown when that attempt ends.
  if (row.build_id !== null && row.state === 'closed')
    return statusOfBuild === row.build_id || (statusOfBuild !== null && card.status === 'in_review');
  if (row.build_id !== null) return statusOfBuild !== null;
  if (card.status === 'done' || card.status === 'canceled') return false;
  const wasClosed = card.status === 'blocked' && card.error_code === 'pr_closed';
  return wasClosed || card.status === 'in_review' || card.status === row.card_status;
}

export interface News {
  event: Extract<WebhookEvent, `pr.${string}`>;
  kind: InboxKind;
  details: Record<string, unknown>;
  excerpt: string | null;
}

const LONGEST_EXCERPT = 200;

/** Lists notifications for people and webhooks; each occurs once, however often the host repeats the answer. */
export function listNews(before: PullRequestRow | undefined, row: PullRequestRow): News[] {
  const news: News[] = [];
  if (row.state === 'merged' && before?.state !== 'merged')
    news.push({
      event: 'pr.merged',
      kind: 'pr_merged',
      details: { merged_at: row.merged_at?.toISOString() ?? null },
      excerpt: `#${row.number}`,
    });
  const wasFailing = before?.checks_state === 'failing' && before.head_sha === row.head_sha;
  if (row.checks_state === 'failing' && !wasFailing) {
    const failing = row.checks.filter(({ state }) => state === 'failing').map(({ name }) => name);
    news.push({
      event: 'pr.checks_failed',
      kind: 'pr_checks_failed',
      details: { checks: failing },
      excerpt: limitText(failing.join(', '), LONGEST_EXCERPT),
    });
  }
  const askedBefore = before && findLastChangeRequest(before.reviews);
  const asked = findLastChangeRequest(row.reviews);
  if (asked !== undefined && (askedBefore === undefined || asked > askedBefore)) {
    const review = listDecisions(row.reviews).find(
      ({ state, at }) => state === 'changes_requested' && at === asked,
    )!;
    news.push({
      event: 'pr.changes_requested',
      kind: 'pr_changes_requested',
      details: { author: review.author, at: review.at },
      excerpt: limitText(review.body, LONGEST_EXCERPT) || null,
    });
  }
  return news;
}

interface Notification {
  row: PullRequestRow;
  ref: string;
  news: readonly News[];
}

/** Must run in the transaction of the change. */
export async function notifyOfPullRequest(
  { outbox, inbox }: Pick<ForgeOptions, 'outbox' | 'inbox'>,
  tx: Tx,
  { row, ref, news }: Notification,
): Promise<void> {
  if (news.length === 0) return;
  const {
    brand_id: brandId,
    card_id: taskId,
    project_id,
    number,
    url,
    state,
    head_branch,
    head_sha,
    build_id,
  } = row;
  const at = row.seen_at!;
  const shared = { task_id: taskId, ref, project_id, number, url, state, head_branch, head_sha, build_id };
  await outbox.record(
    tx,
    news.map(({ event, details }) => ({ brandId, type: event, at, data: { ...shared, ...details } })),
  );
  await inbox.notify(
    tx,
    news.map(({ kind, excerpt }) => ({
      brandId,
      kind,
      taskId,
      at,
      actor: null,
      ...(build_id !== null && { buildId: build_id }),
      excerpt,
      to: { assignee: true, reporter: true },
    })),
  );
}
