import type { Tx } from '../../../platform/database/database.js';
import type { InboxKind } from '../../../platform/outbox/inbox-notices.js';
import type { WebhookEvent } from '../../../platform/outbox/webhook-outbox.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import type { PullRequestRow } from './pull-requests.store.js';
import { findLastChangeRequest, limitText, listDecisions } from './stored-answer.js';

export interface News {
  event: Extract<WebhookEvent, `pr.${string}`>;
  kind: InboxKind;
  /** Fields of the webhook besides those of the pull request. */
  details: Record<string, unknown>;
  excerpt: string | null;
}

const LONGEST_EXCERPT = 200;

/** What people and webhooks are notified of: each once, however often the host answers it. */
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

/** In the transaction of the change. */
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
  await outbox.tell(
    tx,
    news.map(({ event, details }) => ({ brandId, type: event, at, data: { ...shared, ...details } })),
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
