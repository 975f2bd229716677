import type { Clock } from '../../../kernel/clock.js';
import {
  type Check,
  type CheckState,
  type Forge,
  ForgeFailed,
  type LineComment,
  type Opinions,
  type PullRequest,
  type Review,
  type ReviewState,
} from '../adapter/forge.js';

export interface HostAnswer {
  askedAt: Date;
  pullRequest: PullRequest;
  checks: Check[] | undefined;
  opinions: Opinions | undefined;
  deployment: string | null | undefined;
}

export interface Asked {
  answer: HostAnswer | undefined;
  /** The reason why a part is missing; the other parts are valid. */
  failure: ForgeFailed | undefined;
}

/** Requests everything that a card shows. The token may lack permission for some parts. */
export async function askHost({ forge }: { forge: Forge }, clock: Clock, number: number): Promise<Asked> {
  const askedAt = clock.now();
  let failure: ForgeFailed | undefined;
  const pullRequest = await forge.readPullRequest(number);
  if (!pullRequest) return { answer: undefined, failure };

  async function part<T>(ask: Promise<T>): Promise<T | undefined> {
    try {
      return await ask;
    } catch (error) {
      if (!(error instanceof ForgeFailed)) throw error;
      if (!failure || concernsWholeHost(error)) failure = error;
      return undefined;
    }
  }

  const { sha } = pullRequest.head;
  const [checks, opinions, deployment] = await Promise.all([
    part(forge.readChecks(sha)),
    part(forge.readReviews(number)),
    part(findDeployment(forge, sha)),
  ]);
  return { answer: { askedAt, pullRequest, checks, opinions, deployment }, failure };
}

/** Many tokens cannot read deployments and many hosts have none, so that is no failure. */
const findDeployment = (forge: Forge, sha: string): Promise<string | null> =>
  forge.findDeployment(sha).then(
    (address) => address ?? null,
    (error: unknown) => {
      if (error instanceof ForgeFailed && !concernsWholeHost(error)) return null;
      throw error;
    },
  );

export const concernsWholeHost = ({ fault }: ForgeFailed): boolean =>
  fault === 'unreachable' || fault === 'limited';

/** Limits what is stored of a host's answer, which strangers write and which may have any size. */

export type StoredCheck = Omit<Check, 'log'>;
export type StoredComment = LineComment;

const MOST_CHECKS = 200;
const MOST_REVIEWS = 100;
const MOST_COMMENTS = 200;
const LONGEST_NAME = 255;
const LONGEST_PATH = 1000;
const LONGEST_SUMMARY = 4000;
const LONGEST_BODY = 10_000;
const LONGEST_ADDRESS = 2000;

/** Removes what the database rejects, without splitting characters. */
export function limitText(text: string, longest: number): string {
  const kept = text.slice(0, longest).replaceAll('\0', '');
  return (text.length > longest ? kept.replace(/[\uD800-\uDBFF]$/, '') : kept).toWellFormed();
}

/** Cards show the address as a link, so anything except http and https becomes null. */
export function limitAddress(address: string | null | undefined): string | null {
  if (!address || address.length > LONGEST_ADDRESS || !/^https?:\/\/[^\s\0]+$/i.test(address)) return null;
  return URL.canParse(address) ? address.toWellFormed() : null;
}

const readInstant = (at: string, askedAt: Date): string => {
  const instant = new Date(at);
  return (Number.isNaN(instant.getTime()) ? askedAt : instant).toISOString();
};

export const limitChecks = (checks: readonly Check[]): StoredCheck[] =>
  checks.slice(0, MOST_CHECKS).map(({ name, state, url, summary }) => ({
    name: limitText(name, LONGEST_NAME),
    state,
    url: limitAddress(url),
    summary: summary === null ? null : limitText(summary, LONGEST_SUMMARY),
  }));

export const limitReviews = (reviews: readonly Review[], askedAt: Date): Review[] =>
  reviews
    .map(({ author, state, body, at }) => ({
      author: limitText(author, LONGEST_NAME),
      state,
      body: limitText(body, LONGEST_BODY),
      at: readInstant(at, askedAt),
    }))
    .toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
    .slice(-MOST_REVIEWS);

export const limitComments = (comments: Opinions['comments'], askedAt: Date): StoredComment[] =>
  comments
    .map(({ path, line, author, body, at }) => ({
      path: limitText(path, LONGEST_PATH),
      line: Number.isSafeInteger(line) ? line : null,
      author: limitText(author, LONGEST_NAME),
      body: limitText(body, LONGEST_BODY),
      at: readInstant(at, askedAt),
    }))
    .toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
    .slice(-MOST_COMMENTS);

export const limitPullRequest = ({ url, state, head, base, mergeable, mergedAt }: PullRequest) => ({
  url: limitAddress(url) ?? '',
  state,
  head_branch: limitText(head.branch, LONGEST_PATH),
  head_sha: limitText(head.sha, LONGEST_NAME),
  base_branch: limitText(base.branch, LONGEST_PATH),
  base_sha: base.sha === null ? null : limitText(base.sha, LONGEST_NAME),
  mergeable,
  merged_at: mergedAt,
});

/** One failed check fails the commit, even while others still run; skipped checks have no influence. */
export function checksStateOf(checks: readonly Pick<Check, 'state'>[]): CheckState {
  const states = new Set(checks.map(({ state }) => state));
  if (states.has('failing')) return 'failing';
  if (states.has('pending')) return 'pending';
  return states.has('passing') ? 'passing' : 'none';
}

/** Returns the last decision of each author; a comment does not withdraw it. */
export function listDecisions(reviews: readonly Review[]): Review[] {
  const last = new Map<string, Review>();
  for (const review of reviews) {
    if (review.state === 'commented') continue;
    const before = last.get(review.author);
    if (!before || before.at <= review.at) last.set(review.author, review);
  }
  return [...last.values()];
}

export function reviewStateOf(reviews: readonly Review[], isRequested: boolean): ReviewState {
  const standing = listDecisions(reviews).map(({ state }) => state);
  if (standing.includes('changes_requested')) return 'changes_requested';
  if (standing.includes('approved')) return 'approved';
  return isRequested ? 'requested' : 'none';
}

export const findLastChangeRequest = (reviews: readonly Review[]): string | undefined =>
  listDecisions(reviews)
    .filter(({ state }) => state === 'changes_requested')
    .map(({ at }) => at)
    .toSorted()
    .at(-1);
