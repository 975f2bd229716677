import { showActor } from '../../../kernel/actors.js';
import type { BuildReviewView, BuildStatus, BuildView, WaitingReason } from '../builds.schemas.js';
import { type BuildRow, LOCAL_DAYS, SILENT_SECONDS } from './builds.store.js';
import { beginning } from './notifications.js';

const instant = (moment: Date | null): string | null => moment?.toISOString() ?? null;

export interface Waiting {
  waiting_for: WaitingReason;
  held_until: Date | null;
  waiting_reason: string;
}

const REASONS = {
  lost: 'The desk was not heard of for 10 minutes',
  timed_out: 'The build ran 10 minutes beyond its time limit, and the desk did not end it',
  canceled: 'Canceled before it started',
} as const;

const LOCAL_REASONS = {
  timed_out: `Nothing was submitted for ${LOCAL_DAYS} days`,
  canceled: 'Canceled before it was submitted',
} as const;

export function reasonOfCancel({ status, local }: Pick<BuildRow, 'status' | 'local'>): string {
  if (status === 'checking') return 'Canceled while its checks ran';
  return (local ? LOCAL_REASONS : REASONS).canceled;
}

export function reasonByClock(build: BuildRow): string {
  const { status, local } = build;
  if (status === 'timed_out' && endedForStall(build)) return noProgress(build);
  const reasons: Partial<Record<BuildStatus, string>> = local ? LOCAL_REASONS : REASONS;
  return reasons[status]!;
}

export function viewBuild(
  row: BuildRow,
  now: Date,
  waiting: Waiting | undefined,
  { checks, reviews, failed_setup }: Pick<BuildView, 'checks' | 'reviews' | 'failed_setup'>,
): BuildView {
  const { status } = row;
  // An expired claim is not shown.
  const claimed = status !== 'queued';
  const settledByClock = row.finished_at === null && row.ended_at !== null;
  return {
    build_id: row.build_id,
    task_id: row.task_id,
    ref: row.ref,
    project_id: row.project_id,
    attempt: row.attempt,
    kind: row.kind,
    status,
    checks,
    ...(failed_setup && { failed_setup }),
    silent:
      status === 'running' && !row.local && now.getTime() - row.heard_at!.getTime() >= SILENT_SECONDS * 1000,
    stalled: isStalled(row, now),
    ...viewWaiting(row, waiting),
    coder: row.coder,
    profile: row.profile,
    settings: viewSettings(row),
    workstation_id: claimed ? row.workstation_id : null,
    wanted_workstation_id: row.wanted_workstation_id,
    ...(row.local && { local: true }),
    branch: row.branch,
    ...(row.pushed_branch !== null && { pushed_branch: row.pushed_branch }),
    base_branch: row.base_branch,
    base_sha: row.base_sha,
    head_sha: row.head_sha,
    continues: row.continues,
    ...(row.rework_of && { rework_of: row.rework_of }),
    note: row.note,
    created_by: showActor(row.creator),
    queued_at: row.queued_at.toISOString(),
    claimed_at: claimed ? instant(row.claimed_at) : null,
    started_at: instant(row.started_at),
    heard_at: instant(row.heard_at),
    cancel_requested_at: instant(row.cancel_requested_at),
    finished_at: instant(row.ended_at),
    reason: settledByClock ? reasonByClock(row) : row.reason,
    result: row.result,
    confirmed: row.confirmed,
    diff: row.diff,
    usage: viewUsage(row),
    log_bytes: row.log_bytes,
    brief_digest: row.brief_digest,
    gate: row.gate,
    risk: row.risk,
    reviews,
    review: viewReview(row),
    pushed_at: instant(row.pushed_at),
    push_error: row.push_error,
  };
}

function viewWaiting(
  { status, open_question }: BuildRow,
  waiting: Waiting | undefined,
): Pick<BuildView, 'waiting_for' | 'held_until' | 'waiting_reason'> {
  if (status === 'waiting')
    return { waiting_for: 'answer', held_until: null, waiting_reason: beginning(open_question) };
  if (status !== 'queued') return { waiting_for: null, held_until: null, waiting_reason: null };
  return {
    waiting_for: waiting?.waiting_for ?? 'desk',
    held_until: instant(waiting?.held_until ?? null),
    waiting_reason: waiting?.waiting_reason ?? null,
  };
}

function viewUsage({ tokens_in, tokens_out, cost_usd }: BuildRow): BuildView['usage'] {
  const reported = tokens_in !== null || tokens_out !== null || cost_usd !== null;
  return reported ? { tokens_in, tokens_out, cost_usd } : null;
}

type Judged = Pick<BuildRow, 'accepted_at' | 'reworked_at' | 'reviewer' | 'sent_comments'>;

export function viewReview(row: Judged): BuildReviewView | null {
  const at = row.accepted_at ?? row.reworked_at;
  if (!at) return null;
  return {
    decision: row.accepted_at ? 'accept' : 'rework',
    by: showActor(row.reviewer),
    at: at.toISOString(),
    comments: row.sent_comments,
  };
}

export function viewSettings({ settings }: Pick<BuildRow, 'settings'>): BuildView['settings'] {
  if (!settings) return null;
  const { env: _, ...shown } = settings;
  return shown;
}

type Watched = Pick<BuildRow, 'status' | 'local' | 'progress_at' | 'stall_minutes'>;

const MINUTE_MS = 60_000;

function isStalled({ status, local, progress_at, stall_minutes }: Watched, now: Date): boolean {
  if (status !== 'running' || local || !stall_minutes || !progress_at) return false;
  return now.getTime() - progress_at.getTime() >= stall_minutes * MINUTE_MS;
}

const endedForStall = ({
  ended_at,
  progress_at,
  stall_minutes,
}: Pick<BuildRow, 'ended_at' | 'progress_at' | 'stall_minutes'>): boolean =>
  Boolean(stall_minutes && progress_at && ended_at) &&
  ended_at!.getTime() === progress_at!.getTime() + 2 * stall_minutes! * MINUTE_MS;

const noProgress = ({ stall_minutes }: Pick<BuildRow, 'stall_minutes'>): string =>
  `No progress for ${2 * stall_minutes!} minutes`;
