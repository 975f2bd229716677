import type { Tx } from '../../../platform/database/database.js';
import type { InboxNotices } from '../../../platform/outbox/inbox-notices.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import type { BoardService } from '../../boards/index.js';
import { tellOfBuild } from '../record/build-messages.js';
import type { WayHome } from '../record/builds.parts.js';
import type { BuildRow } from '../record/builds.store.js';
import { viewReview } from '../record/builds.views.js';

interface NewsDeps {
  boards: Pick<BoardService, 'followCard'>;
  outbox: Pick<WebhookOutbox, 'tell'>;
  inbox: Pick<InboxNotices, 'settle'>;
  wayHome: Pick<WayHome, 'leadsOn' | 'isFollowed'>;
}

type ReviewEvent = 'build.accepted' | 'build.reworked' | 'build.pushed';

/** What a card says of the review of its builds; a push changes nothing of that. */
const STATE_AFTER: Record<ReviewEvent, 'approved' | 'changes_requested' | undefined> = {
  'build.accepted': 'approved',
  'build.reworked': 'changes_requested',
  'build.pushed': undefined,
};

export type ReviewNews = ReturnType<typeof createReviewNews>;

/**
 * Tells of a decision and of what became of it, in the transaction that makes it so: an entry of the card, by whoever decided,
 * which is how every open page learns of it; those outside; and the inboxes of everybody who was asked.
 */
export function createReviewNews({ boards, outbox, inbox, wayHome }: NewsDeps) {
  /** With the push, as nothing is there before it; with the accept, where there is nothing to push. Of a pull request the merge is the end. */
  async function endsCard(tx: Tx, event: ReviewEvent, build: BuildRow): Promise<boolean> {
    if (event === 'build.accepted') return !bringsWork(build);
    return event === 'build.pushed' && !(await wayHome.leadsOn(tx, build));
  }

  return async (tx: Tx, event: ReviewEvent, build: BuildRow, at: Date, comments = 0): Promise<void> => {
    const { brand_id: brandId, task_id: taskId, build_id, attempt, head_sha } = build;
    const branch = build.pushed_branch ?? build.branch;
    const review = viewReview(build);
    const state = STATE_AFTER[event];
    const to = { build_id, attempt, event, ...(comments > 0 && { comments }) };
    const ends = await endsCard(tx, event, build);
    // While a pull request is open, its host says how the review stands.
    const shown = state && !(await wayHome.isFollowed(tx, build)) ? { review_state: state } : {};
    await boards.followCard(
      tx,
      brandId,
      taskId,
      (card, statusOfBuild) => ({
        values: {
          ...shown,
          ...(event === 'build.pushed' && card.attempt === attempt && { branch }),
        },
        told: { build: { from: null, to } },
        ...(ends && waitsFor(build, card.status, statusOfBuild) && { status: 'done' }),
      }),
      { actor: review?.by ?? null, build: build_id },
    );
    await tellOfBuild(outbox, tx, event, build, at, { review, branch, head_sha });
    const answered = { brandId, taskId, buildId: build_id, at };
    if (state) await inbox.settle(tx, { ...answered, kind: 'review_asked', until: build.finished_at ?? at });
    if (event === 'build.pushed') await inbox.settle(tx, { ...answered, kind: 'push_failed', until: at });
  };
}

/** Whether the card waits for this review: a person's own change of status meanwhile wins. */
const waitsFor = ({ build_id }: BuildRow, status: string, statusOfBuild: string | null): boolean =>
  status === 'in_review' && statusOfBuild === build_id;

/** From where the first attempt began, whatever the last one added. */
export const bringsWork = ({
  head_sha,
  base_sha,
  origin_sha,
}: Pick<BuildRow, 'head_sha' | 'base_sha' | 'origin_sha'>): boolean =>
  head_sha !== null && head_sha !== (origin_sha ?? base_sha);
