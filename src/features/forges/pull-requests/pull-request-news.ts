import type { Tx } from '../../../platform/database/database.js';
import type { InboxKind } from '../../../platform/outbox/inbox-notices.js';
import type { WebhookEvent } from '../../../platform/outbox/webhook-outbox.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { lastAskedForChanges, standingReviews } from './card-states.js';
import type { PullRequestRow } from './pull-requests.store.js';
import { keepText } from './told.js';

export interface News {
  event: Extract<WebhookEvent, `pr.${string}`>;
  kind: InboxKind;
  /** What the message tells of it beside the pull request. */
  more: Record<string, unknown>;
  excerpt: string | null;
}

const LONGEST_EXCERPT = 200;

/** What people and programs are told of: each once, however often the host tells of it. */
export function listNews(before: PullRequestRow | undefined, row: PullRequestRow): News[] {
  const news: News[] = [];
  if (row.state === 'merged' && before?.state !== 'merged')
    news.push({
      event: 'pr.merged',
      kind: 'pr_merged',
      more: { merged_at: row.merged_at?.toISOString() ?? null },
      excerpt: `#${row.number}`,
    });
  const wasRed = before?.checks_state === 'failing' && before.head_sha === row.head_sha;
  if (row.checks_state === 'failing' && !wasRed) {
    const failing = row.checks.filter(({ state }) => state === 'failing').map(({ name }) => name);
    news.push({
      event: 'pr.checks_failed',
      kind: 'pr_checks_failed',
      more: { checks: failing },
      excerpt: keepText(failing.join(', '), LONGEST_EXCERPT),
    });
  }
  const askedBefore = before && lastAskedForChanges(before.reviews);
  const asked = lastAskedForChanges(row.reviews);
  if (asked !== undefined && (askedBefore === undefined || asked > askedBefore)) {
    const review = standingReviews(row.reviews).find(
      ({ state, at }) => state === 'changes_requested' && at === asked,
    )!;
    news.push({
      event: 'pr.changes_requested',
      kind: 'pr_changes_requested',
      more: { author: review.author, at: review.at },
      excerpt: keepText(review.body, LONGEST_EXCERPT) || null,
    });
  }
  return news;
}

interface Told {
  row: PullRequestRow;
  ref: string;
  news: readonly News[];
}

/** Belongs into the transaction of what it tells. */
export async function tellOfPullRequest(
  { outbox, inbox }: Pick<ForgeOptions, 'outbox' | 'inbox'>,
  tx: Tx,
  { row, ref, news }: Told,
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
  const told = { task_id: taskId, ref, project_id, number, url, state, head_branch, head_sha, build_id };
  await outbox.tell(
    tx,
    news.map(({ event, more }) => ({ brandId, type: event, at, data: { ...told, ...more } })),
  );
  await inbox.tell(
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
