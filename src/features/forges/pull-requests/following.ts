import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../../kernel/actors.js';
import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { Tx } from '../../../platform/database/database.js';
import type { FollowedChange, FullCard } from '../../boards/index.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import type { Answer } from './asking.js';
import { checksStateOf, reviewStateOf } from './card-states.js';
import { listNews, type News, tellOfPullRequest } from './pull-request-news.js';
import {
  isOpen,
  type PullRequestRow,
  pullRequestStore,
  type SeenPullRequest,
} from './pull-requests.store.js';
import { keepAddress, keepChecks, keepComments, keepPullRequest, keepReviews } from './told.js';

/** What is set up after a merge shows itself a while later; one that was closed may be opened again. */
const AFTER_MERGE = [1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE);
const AFTER_CLOSE = Array.from({ length: 24 }, () => HOUR);

/** Errors of a card that an open pull request ends. */
const OWN_ERRORS: readonly (string | null)[] = ['pr_closed', 'pr_not_opened'];

export interface Followed {
  before: PullRequestRow;
  row: PullRequestRow;
}

export interface Occasion {
  /** The card has it since just now. */
  fresh?: boolean;
  /** The card is looked at although nothing seems to have changed. */
  always?: boolean;
  /** Who tied it. */
  actor?: Actor | null;
}

export type Following = ReturnType<typeof createFollowing>;

/** How cards follow what hosts say of their pull requests. */
export function createFollowing({
  boards,
  outbox,
  inbox,
}: Pick<ForgeOptions, 'boards' | 'outbox' | 'inbox'>) {
  async function followCard(
    tx: Tx,
    { before, row }: Followed,
    news: readonly News[],
    { fresh = false, actor = null }: Occasion,
  ): Promise<void> {
    let ref: string | undefined;
    await boards.followCard(
      tx,
      row.brand_id,
      row.card_id,
      (card, statusOfBuild) => {
        ref = card.ref;
        return { values: valuesOf(row), ...decide({ before, row, card, statusOfBuild, fresh }) };
      },
      { actor, ...(row.build_id !== null && { build: row.build_id }) },
    );
    if (ref !== undefined) await tellOfPullRequest({ outbox, inbox }, tx, { row, ref, news });
  }

  /**
   * Everything that follows from one answer, in the transaction of the caller. Undefined when it changes nothing: a later answer
   * was there first, or nobody follows this one.
   */
  return async function follow(
    tx: Tx,
    of: Pick<PullRequestRow, 'brand_id' | 'project_id' | 'number'>,
    answer: Answer,
    occasion: Occasion = {},
  ): Promise<Followed | undefined> {
    const store = pullRequestStore(tx, of.brand_id);
    const before = await store.lock(of.project_id, of.number);
    if (!before || (before.seen_at && before.seen_at > answer.askedAt)) return undefined;
    const seen = see(before, answer);
    const row: PullRequestRow = { ...before, ...seen };
    if (!isOpen(before) && isOpen(row)) {
      const other = await store.findOpenOfCard(row.card_id);
      // The card follows another one by now.
      if (other) return void (await store.lookAgain(of.project_id, of.number, null));
    }
    await store.save(of.project_id, of.number, seen);
    const shown = await store.findOfCard(row.card_id);
    const isReplaced = row.superseded_by !== null && row.state === 'closed';
    if (shown?.number !== row.number || shown.project_id !== row.project_id || isReplaced)
      return { before, row };
    const news = listNews(occasion.fresh ? undefined : before, row);
    const changed = occasion.fresh || occasion.always || !isDeepStrictEqual(valuesOf(before), valuesOf(row));
    if (changed || news.length > 0) await followCard(tx, { before, row }, news, occasion);
    return { before, row };
  };
}

/** A part that the host did not tell stays as it was, for the same head. */
function see(before: PullRequestRow, answer: Answer): SeenPullRequest {
  const { askedAt, pullRequest, checks, opinions, deployment } = answer;
  const told = keepPullRequest(pullRequest);
  // A merge is never taken back: an answer without it comes from where it is not known yet.
  const state = before.state === 'merged' ? 'merged' : told.state;
  const sameHead = told.head_sha === before.head_sha;
  const reviews = opinions ? keepReviews(opinions.reviews, askedAt) : before.reviews;
  return {
    ...told,
    url: told.url || before.url,
    state,
    merged_at: state === 'merged' ? (told.merged_at ?? before.merged_at ?? askedAt) : null,
    checks: checks ? keepChecks(checks) : sameHead ? before.checks : [],
    checks_state: checks ? checksStateOf(checks) : sameHead ? before.checks_state : 'none',
    reviews,
    review_state: reviewStateOf(reviews, pullRequest.reviewRequested),
    comments: opinions ? keepComments(opinions.comments, askedAt) : before.comments,
    ended_at: isOpen({ state }) ? null : (before.ended_at ?? askedAt),
    deploy_url: deployment === undefined ? (sameHead ? before.deploy_url : null) : keepAddress(deployment),
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

interface Situation extends Followed {
  card: FullCard;
  statusOfBuild: string | null;
  fresh: boolean;
}

/** Where the card goes, and what it says of it beside the plain facts. A person's own change of status wins. */
function decide(situation: Situation): Partial<FollowedChange> {
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

/** What a card says of a pull request that was closed without a merge. */
export const closedError = ({ number }: Pick<PullRequestRow, 'number'>) => ({
  error_code: 'pr_closed',
  error_message: `Pull request #${number} was closed without being merged`,
});

/** Whether the card has its status of the work that the pull request brings, and of nobody since. */
function isOurs({ row, card, statusOfBuild }: Situation): boolean {
  // A later attempt may be on its way when the work of the one before is merged: that was wanted.
  // Of one that is closed while a later attempt runs the card tells when that attempt ends.
  if (row.build_id !== null && row.state === 'closed')
    return statusOfBuild === row.build_id || (statusOfBuild !== null && card.status === 'in_review');
  if (row.build_id !== null) return statusOfBuild !== null;
  if (card.status === 'done' || card.status === 'canceled') return false;
  const wasClosed = card.status === 'blocked' && card.error_code === 'pr_closed';
  return wasClosed || card.status === 'in_review' || card.status === row.card_status;
}
