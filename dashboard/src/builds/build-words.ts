import type { Build, BuildStatus, CoderList } from '../api/builds.js';
import type { Profile } from '../api/coder-profiles.js';
import type { Workstation } from '../api/machines.js';
import { describeDistance } from '../ui/distance.js';
import { formatInstant, formatMoney, type Tone } from '../ui/format.js';

const CODER_NAMES: Record<string, string> = {
  claude: 'Claude Code',
  codex: 'Codex',
  openhands: 'OpenHands',
  opencode: 'OpenCode',
  pi: 'Pi',
};

export const coderName = (coder: string): string => CODER_NAMES[coder] ?? coder;

type ListedCoder = CoderList['coders'][number];

/** With the versions on desks that can run it now. */
export function describeCoder({ name, desks }: Pick<ListedCoder, 'name' | 'desks'>): string {
  const ready = desks.filter((desk) => desk.ready);
  const versions = [...new Set(ready.flatMap(({ version }) => version ?? []))];
  if (ready.length === 0) return `${coderName(name)} (no ready desk)`;
  return [coderName(name), versions.join(', ')].filter(Boolean).join(' ');
}

export const coderOfProfile = ({ key }: Pick<Profile, 'key'>): string => key.slice(0, key.indexOf('.'));

const OPEN: readonly BuildStatus[] = ['queued', 'claimed', 'running', 'waiting', 'checking'];
export const isOpen = ({ status }: Pick<Build, 'status'>): boolean => OPEN.includes(status);
export const isOpenStatus = (status: string): boolean => OPEN.includes(status as BuildStatus);

/** Demo attempts have an all-zero base commit: they have figures, but no log and no diff. */
export const isDemoAttempt = ({ base_sha }: Pick<Build, 'base_sha'>): boolean => /^0+$/.test(base_sha);

/** Null means that no cost was reported, which differs from zero. */
export const costOf = ({ usage }: Pick<Build, 'usage'>): string | null =>
  typeof usage?.cost_usd === 'number' ? formatMoney(usage.cost_usd) : null;

/** Null when the coder reported no tokens. */
export const tokensOf = ({ usage }: Pick<Build, 'usage'>): number | null =>
  usage?.tokens_in == null && usage?.tokens_out == null
    ? null
    : (usage.tokens_in ?? 0) + (usage.tokens_out ?? 0);

export const STATUS_WORDS: Record<BuildStatus, string> = {
  queued: 'Queued',
  claimed: 'Claimed',
  running: 'Running',
  waiting: 'Needs an answer',
  checking: 'Checking',
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
  waiting: 'warn',
  checking: 'info',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'plain',
  timed_out: 'bad',
  lost: 'bad',
};

/** Follows the name of the reviewer. */
export const describeDecision = ({ decision }: NonNullable<Build['review']>): string =>
  decision === 'accept' ? 'accepted it' : 'requested changes';

const CAME_BACK: Record<NonNullable<Build['rework_of']>[number], string> = {
  checks: 'checks of its pull request failed',
  changes_requested: 'a review of its pull request asked for changes',
  conflict: 'its pull request could not be merged',
};

/** The reason for an attempt that the repository host started rather than a person. */
export const describeHostFeedback = ({ rework_of }: Pick<Build, 'rework_of'>): string | undefined =>
  rework_of?.length
    ? `Started automatically: ${rework_of.map((reason) => CAME_BACK[reason]).join(', and ')}`
    : undefined;

/** Explains a build's current state in one sentence; undefined if there is nothing to explain. */
export function explain(build: Build): string | undefined {
  if (build.cancel_requested_at && isOpen(build)) return 'Canceling; the desk stops it within seconds';
  if (build.status === 'queued') return explainWaiting(build);
  if (build.status === 'claimed') return 'A desk claimed it and prepares the checkout';
  if (build.silent)
    return `Not heard of ${build.heard_at ? describeDistance(build.heard_at) : 'for a while'}`;
  if (build.stalled) return 'No progress; the build stops if this continues';
  if (build.status === 'checking') return explainChecking(build);
  if (build.push_error) return `Accepted, but not pushed: ${build.push_error}`;
  if (build.review) return `${build.review.by?.name ?? 'Former member'} ${describeDecision(build.review)}`;
  return build.reason ?? undefined;
}

/** Checks run one after another, followed by an optional review by a second coder. */
function explainChecking({ checks, reviews }: Build): string {
  const over = checks.filter(({ status }) => status !== 'pending' && status !== 'running').length;
  const now = checks.find(({ status }) => status === 'running');
  if (checks.length > 0 && over === checks.length)
    return reviews.some(({ verdict }) => verdict === null)
      ? 'The checks finished; a reviewer reads the change'
      : 'The checks finished';
  if (now) return `The check ${now.name} runs, ${over} of ${checks.length} finished`;
  return over === 0
    ? 'The coder finished; the checks wait for a desk'
    : `${over} of ${checks.length} checks finished`;
}

/** The build reached its budget and stopped; its commits so far are kept. */
export const ranOutOfMoney = ({ status, reason }: Pick<Build, 'status' | 'reason'>): boolean =>
  status === 'failed' && (reason ?? '').startsWith('Budget reached');

export const isReview = ({ kind }: Pick<Build, 'kind'>): boolean => kind === 'review';

/** The branch name on the repository host: a rework pushes to the branch of the open pull request. */
export const branchOf = ({ branch, pushed_branch }: Build): string => pushed_branch ?? branch;

/** Formats hold times in the user's time zone; other reasons come from the service as text. */
function explainWaiting({ waiting_for, held_until, waiting_reason }: Build): string {
  if (waiting_for === 'hold' && held_until)
    return `Waiting for the provider's limit to reset at ${formatInstant(held_until)}`;
  if (waiting_for === 'budget') return `Waiting for budget: ${waiting_reason ?? 'not enough is left'}`;
  return waiting_reason ?? 'Waiting for a desk';
}

export function secondsOf({ started_at, finished_at }: Build, now: number): number | undefined {
  if (!started_at) return undefined;
  return ((finished_at ? Date.parse(finished_at) : now) - Date.parse(started_at)) / 1000;
}

const RUNS: Record<Workstation['runtime'], readonly string[] | undefined> = {
  claude_code: ['claude'],
  codex: ['codex'],
  custom: undefined,
};

/** A further coder runs only on desks that reported it. */
export function canRun(
  { runtime, workstation_id: id }: Pick<Workstation, 'runtime' | 'workstation_id'>,
  coder: string,
  coders: readonly ListedCoder[] = [],
): boolean {
  if (coder in CODER_NAMES) return RUNS[runtime]?.includes(coder) ?? true;
  const listed = coders.find(({ name }) => name === coder);
  return listed?.desks.some(({ workstation_id }) => workstation_id === id) ?? false;
}

export const buildAddress = (buildId: string): string => `/dashboard/builds/${buildId}`;

export const cardAddress = (card: { id: string; board_id: string }): string =>
  `/dashboard/boards/${card.board_id}?card=${card.id}`;
