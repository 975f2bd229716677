import type { BuildRow, CameBack, ReworkReason } from '../../builds/index.js';
import type { Opinions, Review } from '../adapter/forge.js';
import type { HostAnswer } from '../pull-requests/host-answer.js';

/** How far the clocks of a host and of Guildhall may differ. */
const SKEW_MS = 60_000;

/** Why the head of a pull request needs another attempt; running checks give no reason yet. */
export function findReworkReasons(
  { pullRequest, checks = [], opinions }: Pick<HostAnswer, 'pullRequest' | 'checks' | 'opinions'>,
  pushed: Pick<BuildRow, 'pushed_at'>,
  earlier: readonly CameBack[],
): ReworkReason[] {
  const reasons: ReworkReason[] = [];
  const finished = checks.every(({ state }) => state !== 'pending');
  if (finished && checks.some(({ state }) => state === 'failing')) reasons.push('checks');
  if (listRequests(opinions, pullRequest.head.sha, pushed, earlier).length > 0)
    reasons.push('changes_requested');
  if (pullRequest.mergeable === false) reasons.push('conflict');
  return reasons;
}

/** The last decisions of reviewers that request changes of this head, without those that an earlier attempt was given. */
export function listRequests(
  opinions: Opinions | undefined,
  head: string,
  { pushed_at }: Pick<BuildRow, 'pushed_at'>,
  earlier: readonly CameBack[],
): Review[] {
  const last = new Map<string, Review>();
  for (const review of opinions?.reviews ?? [])
    if (review.state !== 'commented') last.set(review.author, review);
  const given = new Set(earlier.flatMap(({ comments }) => comments).map(keyOf));
  return [...last.values()].filter(
    (review) =>
      review.state === 'changes_requested' &&
      !given.has(keyOf({ ...review, path: null })) &&
      isOfHead(review, head, pushed_at),
  );
}

/** Where the host names no commit, a review from before the push is for another one. */
function isOfHead({ sha, at }: Review, head: string, pushedAt: Date | null): boolean {
  if (sha) return sha === head;
  const said = Date.parse(at);
  return pushedAt === null || Number.isNaN(said) || said + SKEW_MS >= pushedAt.getTime();
}

type Remark = Pick<CameBack['comments'][number], 'path' | 'author' | 'body' | 'at'>;

/** Identifies a comment; without the line, which moves with the work. */
export const keyOf = ({ path, author, at, body }: Remark): string =>
  JSON.stringify([path, author, at, body.slice(0, KEY_CHARACTERS)]);

/** Shorter than any cut of a comment. */
const KEY_CHARACTERS = 200;
