import type { Check, LineComment, Opinions, PullRequest, Review } from '../adapter/forge.js';

/** What a host told, as far as it is kept: it is text of strangers, and there may be any amount of it. */

export type KeptCheck = Omit<Check, 'log'>;
export type KeptComment = LineComment;

const MOST_CHECKS = 200;
const MOST_REVIEWS = 100;
const MOST_COMMENTS = 200;
const LONGEST_NAME = 255;
const LONGEST_PATH = 1000;
const LONGEST_SUMMARY = 4000;
const LONGEST_BODY = 10_000;
const LONGEST_ADDRESS = 2000;

/** What the database takes, by whole characters. */
export function keepText(text: string, longest: number): string {
  const kept = text.slice(0, longest).replaceAll('\0', '');
  return (text.length > longest ? kept.replace(/[\uD800-\uDBFF]$/, '') : kept).toWellFormed();
}

/** A card shows it as a link: it is one to the web, or nothing. */
export function keepAddress(address: string | null | undefined): string | null {
  if (!address || address.length > LONGEST_ADDRESS || !/^https?:\/\/[^\s\0]+$/i.test(address)) return null;
  return URL.canParse(address) ? address.toWellFormed() : null;
}

const keepInstant = (at: string, askedAt: Date): string => {
  const told = new Date(at);
  return (Number.isNaN(told.getTime()) ? askedAt : told).toISOString();
};

export const keepChecks = (checks: readonly Check[]): KeptCheck[] =>
  checks.slice(0, MOST_CHECKS).map(({ name, state, url, summary }) => ({
    name: keepText(name, LONGEST_NAME),
    state,
    url: keepAddress(url),
    summary: summary === null ? null : keepText(summary, LONGEST_SUMMARY),
  }));

/** The newest, where there are too many. */
export const keepReviews = (reviews: readonly Review[], askedAt: Date): Review[] =>
  reviews
    .map(({ author, state, body, at }) => ({
      author: keepText(author, LONGEST_NAME),
      state,
      body: keepText(body, LONGEST_BODY),
      at: keepInstant(at, askedAt),
    }))
    .toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
    .slice(-MOST_REVIEWS);

export const keepComments = (comments: Opinions['comments'], askedAt: Date): KeptComment[] =>
  comments
    .map(({ path, line, author, body, at }) => ({
      path: keepText(path, LONGEST_PATH),
      line: Number.isSafeInteger(line) ? line : null,
      author: keepText(author, LONGEST_NAME),
      body: keepText(body, LONGEST_BODY),
      at: keepInstant(at, askedAt),
    }))
    .toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
    .slice(-MOST_COMMENTS);

/** Its own facts, without what was asked about it beside. */
export const keepPullRequest = ({ url, state, head, base, mergeable, mergedAt }: PullRequest) => ({
  url: keepAddress(url) ?? '',
  state,
  head_branch: keepText(head.branch, LONGEST_PATH),
  head_sha: keepText(head.sha, LONGEST_NAME),
  base_branch: keepText(base.branch, LONGEST_PATH),
  base_sha: base.sha === null ? null : keepText(base.sha, LONGEST_NAME),
  mergeable,
  merged_at: mergedAt,
});
