import type { Build, BuildStatus, CoderName } from '../api/builds.js';
import type { Profile } from '../api/coder-profiles.js';
import type { Workstation } from '../api/machines.js';
import { formatInstant, formatMoney, type Tone } from '../ui/display.js';
import { describeDistance } from '../ui/distance.js';

const CODER_NAMES: Record<CoderName, string> = {
  claude: 'Claude Code',
  codex: 'Codex',
  openhands: 'OpenHands',
  opencode: 'OpenCode',
  pi: 'Pi',
};

export const coderName = (coder: string): string => CODER_NAMES[coder as CoderName] ?? coder;

/** The first part of a profile's key is the coder, as builds name it. */
export const coderOfProfile = ({ key }: Pick<Profile, 'key'>): string => key.slice(0, key.indexOf('.'));

const OPEN: readonly BuildStatus[] = ['queued', 'claimed', 'running'];
export const isOpen = ({ status }: Pick<Build, 'status'>): boolean => OPEN.includes(status);
export const isOpenStatus = (status: string): boolean => OPEN.includes(status as BuildStatus);

/** No commit has such a name: the attempt is only told of, in the story of a demo world, and there is nothing to see of it. */
export const isTold = ({ base_sha }: Pick<Build, 'base_sha'>): boolean => /^0+$/.test(base_sha);

/** Null where nobody told what it cost, which is not nothing. */
export const costOf = ({ usage }: Pick<Build, 'usage'>): string | null =>
  typeof usage?.cost_usd === 'number' ? formatMoney(usage.cost_usd) : null;

export const STATUS_WORDS: Record<BuildStatus, string> = {
  queued: 'Queued',
  claimed: 'Claimed',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  canceled: 'Canceled',
  timed_out: 'Timed out',
  lost: 'Lost',
};

export const STATUS_TONES: Record<BuildStatus, Tone> = {
  queued: 'plain',
  claimed: 'info',
  running: 'info',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'plain',
  timed_out: 'bad',
  lost: 'bad',
};

/** What was decided of a build; who did stands before it. */
export const describeDecision = ({ decision }: NonNullable<Build['review']>): string =>
  decision === 'accept' ? 'accepted it' : 'asked for rework';

/** Why a build stands where it stands, in one sentence; undefined where there is nothing to say. */
export function explain(build: Build): string | undefined {
  if (build.cancel_requested_at && isOpen(build)) return 'Asked to stop; the desk ends it within seconds';
  if (build.status === 'queued') return explainWaiting(build);
  if (build.status === 'claimed') return 'A desk has taken it and prepares the checkout';
  if (build.silent)
    return `Not heard of ${build.heard_at ? describeDistance(build.heard_at) : 'for a while'}`;
  if (build.push_error) return `Accepted, but not pushed: ${build.push_error}`;
  if (build.review) return `${build.review.by?.name ?? 'Somebody'} ${describeDecision(build.review)}`;
  return build.reason ?? undefined;
}

/** A hold is told in the reader's own time; everything else the service says best. */
function explainWaiting({ waiting_for, held_until, waiting_reason }: Build): string {
  if (waiting_for === 'hold' && held_until)
    return `Waits for the provider's limit to pass, until ${formatInstant(held_until)}`;
  return waiting_reason ?? 'Waits for a desk';
}

/** Seconds a build took, or has taken so far; undefined before it started. */
export function secondsOf({ started_at, finished_at }: Build, now: number): number | undefined {
  if (!started_at) return undefined;
  return ((finished_at ? Date.parse(finished_at) : now) - Date.parse(started_at)) / 1000;
}

const RUNS: Record<Workstation['runtime'], readonly string[] | undefined> = {
  claude_code: ['claude'],
  codex: ['codex'],
  custom: undefined,
};

export const canRun = ({ runtime }: Pick<Workstation, 'runtime'>, coder: string): boolean =>
  RUNS[runtime]?.includes(coder) ?? true;

export const buildAddress = (buildId: string): string => `/dashboard/builds/${buildId}`;

export const cardAddress = (card: { id: string; board_id: string }): string =>
  `/dashboard/boards/${card.board_id}?card=${card.id}`;
