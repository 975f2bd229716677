import type { Tx } from '../../../platform/database/database.js';
import type { Outcome } from '../builds.schemas.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import { lifecycleStore } from './lifecycle.store.js';

type CardStatus = 'in_progress' | 'in_review' | 'blocked' | 'pending';

const STATUS_AFTER: Record<Outcome, CardStatus> = {
  succeeded: 'in_review',
  failed: 'blocked',
  timed_out: 'blocked',
  lost: 'blocked',
  canceled: 'pending',
};

const LONGEST_ERROR = 20_000;
const LARGEST_RESULT_BYTES = 1_048_576;

const instant = (moment: Date | null): string | null => moment?.toISOString() ?? null;

export interface Ended {
  outcome: Outcome;
  at: Date;
  reason: string | null;
  result: string | null;
}

export function createCardUpdates({ boards, pullRequests }: BuildDeps) {
  return {
    async showStart(tx: Tx, build: BuildRow, startedAt: Date, runtime: string): Promise<void> {
      // An open pull request keeps its branch.
      const branch = (await pullRequests.findBranch(tx, build)) ?? build.branch;
      await boards.followCard(
        tx,
        build.brand_id,
        build.task_id,
        () => ({
          status: 'in_progress',
          values: {
            attempt: build.attempt,
            branch,
            base_branch: build.base_branch,
            environment_id: build.workstation_id,
            runtime,
            queued_at: build.queued_at.toISOString(),
            claimed_at: instant(build.claimed_at),
            started_at: startedAt.toISOString(),
            completed_at: null,
            last_heartbeat_at: startedAt.toISOString(),
            progress_percent: null,
            error_code: null,
            error_message: null,
          },
        }),
        { build: build.build_id },
      );
    },

    /** Keeps a status that a person has set meanwhile. */
    async showEnd(tx: Tx, build: BuildRow, ended: Ended): Promise<void> {
      const { newer, ...spent } = await lifecycleStore(tx, build.brand_id).sumUp(build);
      if (newer) return;
      const closed = build.started_at && (await pullRequests.findClosedSince(tx, build, build.started_at));
      await boards.followCard(
        tx,
        build.brand_id,
        build.task_id,
        (card, statusOfBuild) => {
          const ours = isOurs(build, card.status, statusOfBuild);
          const { status, ...error } =
            ours && closed ? { status: 'blocked' as const, ...closed } : cardAfter(ended);
          return {
            byGuest: build.guest_words,
            ...(ours && { status }),
            values: {
              ...spent,
              completed_at: ended.at.toISOString(),
              ...(build.head_sha && { commit_sha: build.head_sha }),
              ...(ended.result !== null && { result: cut(ended.result) }),
              ...error,
            },
          };
        },
        { build: build.build_id },
      );
    },
  };
}

function cardAfter({ outcome, reason }: Ended) {
  const status = STATUS_AFTER[outcome];
  return status === 'blocked'
    ? { status, error_code: outcome, error_message: reason?.slice(0, LONGEST_ERROR) ?? null }
    : { status, error_code: null, error_message: null };
}

export type CardUpdates = ReturnType<typeof createCardUpdates>;

/** A build that failed before its start has not changed the card yet. */
function isOurs({ build_id, started_at }: BuildRow, status: string, statusOfBuild: string | null): boolean {
  return started_at ? statusOfBuild === build_id : status !== 'done' && status !== 'canceled';
}

/** Texts of cards are limited in bytes. The build keeps the full text. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= LARGEST_RESULT_BYTES) return text;
  return Buffer.from(text)
    .subarray(0, LARGEST_RESULT_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '');
}
