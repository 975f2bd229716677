import type { Tx } from '../../../platform/database/database.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import { viewReview } from '../record/builds.views.js';
import { recordBuildEvent } from '../record/notifications.js';

type ReviewEvent = 'build.accepted' | 'build.reworked' | 'build.pushed';

const STATE_AFTER: Record<ReviewEvent, 'approved' | 'changes_requested' | undefined> = {
  'build.accepted': 'approved',
  'build.reworked': 'changes_requested',
  'build.pushed': undefined,
};

export type ReviewNotifications = ReturnType<typeof createReviewNotifications>;

/** Updates the card, webhooks and inboxes in the transaction of the decision. */
export function createReviewNotifications({ boards, outbox, inbox, pullRequests }: BuildDeps) {
  /** The push ends the card, or the accept without commits. With a pull request, the merge ends it. */
  async function endsCard(tx: Tx, event: ReviewEvent, build: BuildRow): Promise<boolean> {
    if (event === 'build.accepted') return !bringsWork(build);
    return event === 'build.pushed' && !(await pullRequests.hasForge(tx, build));
  }

  return async (tx: Tx, event: ReviewEvent, build: BuildRow, at: Date, comments = 0): Promise<void> => {
    const { brand_id: brandId, task_id: taskId, build_id, attempt, head_sha } = build;
    const branch = build.pushed_branch ?? build.branch;
    const review = viewReview(build);
    const state = STATE_AFTER[event];
    const to = { build_id, attempt, event, ...(comments > 0 && { comments }) };
    const ends = await endsCard(tx, event, build);
    // An open pull request has its own review state.
    const shown = state && !(await pullRequests.hasOpenPullRequest(tx, build)) ? { review_state: state } : {};
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
    await recordBuildEvent(outbox, tx, event, build, at, { review, branch, head_sha });
    const answered = { brandId, taskId, buildId: build_id, at };
    if (state) await inbox.settle(tx, { ...answered, kind: 'review_asked', until: build.finished_at ?? at });
    if (event === 'build.pushed') await inbox.settle(tx, { ...answered, kind: 'push_failed', until: at });
  };
}

/** Keeps a status that a person has set meanwhile. */
const waitsFor = ({ build_id }: BuildRow, status: string, statusOfBuild: string | null): boolean =>
  status === 'in_review' && statusOfBuild === build_id;

/** Counts the work of all attempts in the line. */
export const bringsWork = ({
  head_sha,
  base_sha,
  origin_sha,
}: Pick<BuildRow, 'head_sha' | 'base_sha' | 'origin_sha'>): boolean =>
  head_sha !== null && head_sha !== (origin_sha ?? base_sha);
