import type { BuildRow, CameBack, ReworkReason } from '../../builds/index.js';
import type { Check, Opinions, PullRequest, Review } from '../adapter/forge.js';

/** What the host said of a pull request when it was asked; what it did not say is undefined. */
export interface Told {
  pullRequest: PullRequest;
  checks: readonly Check[] | undefined;
  opinions: Opinions | undefined;
}

/** How far the clocks of a host and of this service may be apart. */
const SKEW_MS = 60_000;

/** Why the head of a pull request is not what it should be, as far as that is settled. */
export function findRed(
  { pullRequest, checks = [], opinions }: Told,
  pushed: Pick<BuildRow, 'pushed_at'>,
  earlier: readonly CameBack[],
): ReworkReason[] {
  const red: ReworkReason[] = [];
  const finished = checks.every(({ state }) => state !== 'pending');
  if (finished && checks.some(({ state }) => state === 'failing')) red.push('checks');
  if (listRequests(opinions, pullRequest.head.sha, pushed, earlier).length > 0) red.push('changes_requested');
  if (pullRequest.mergeable === false) red.push('conflict');
  return red;
}

/** Reviews that ask for changes of this head: the last word of whoever said so, and not one that an earlier attempt was given. */
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

/** Where the host does not say of which commit it is, one from before the push is of another. */
function isOfHead({ sha, at }: Review, head: string, pushedAt: Date | null): boolean {
  if (sha) return sha === head;
  const said = Date.parse(at);
  return pushedAt === null || Number.isNaN(said) || said + SKEW_MS >= pushedAt.getTime();
}

type Remark = Pick<CameBack['comments'][number], 'path' | 'author' | 'body' | 'at'>;

/** What makes a remark the same as before; the line moves with the work. */
export const keyOf = ({ path, author, at, body }: Remark): string =>
  JSON.stringify([path, author, at, body.slice(0, KEY_CHARACTERS)]);

/** Less than is ever cut from a remark. */
const KEY_CHARACTERS = 200;
