/** A repository host. Only the adapter knows which kind it is. */
export interface Forge {
  /** Checks the token: the name of the repository, its default branch, and what the token may do. */
  tryOut(): Promise<Standing>;
  openPullRequest(draft: PullRequestDraft): Promise<PullRequest>;
  changePullRequest(number: number, change: PullRequestChange): Promise<PullRequest>;
  /** Open ones, newest first, up to a few hundred. */
  listOpenPullRequests(filter?: PullRequestFilter): Promise<PullRequest[]>;
  /** Undefined where the host does not have it. */
  readPullRequest(number: number): Promise<PullRequest | undefined>;
  readChecks(sha: string): Promise<Check[]>;
  readReviews(number: number): Promise<Opinions>;
  /** The last lines of a check's log; undefined where the host does not give it. */
  readCheckLog(check: Check, lines: number): Promise<string | undefined>;
  /** The address of the newest successful deployment of a commit. */
  findDeployment(sha: string): Promise<string | undefined>;
  /** Issues without pull requests, last changed at the end. */
  listIssues(query: IssueQuery): Promise<IssuePage>;
  listComments(issue: number): Promise<IssueComment[]>;
  /** Idempotent: does nothing when a comment with this body exists. */
  commentOnIssue(issue: number, body: string): Promise<void>;
}

export const FORGE_KINDS = ['github', 'gitlab', 'forgejo'] as const;
export type ForgeKind = (typeof FORGE_KINDS)[number];

export interface Standing {
  repository: string;
  defaultBranch: string;
  mayPush: boolean;
  mayOpenPullRequests: boolean;
}

export interface PullRequestDraft {
  title: string;
  body: string;
  branch: string;
  base: string;
}

/** The branch of a pull request; with `ended`, also those that are closed or merged. */
export interface PullRequestFilter {
  branch: string;
  ended?: true;
}

export interface PullRequestChange {
  title?: string;
  body?: string;
  close?: true;
}

export const PULL_STATES = ['draft', 'open', 'merged', 'closed'] as const;
export const CHECK_STATES = ['pending', 'passing', 'failing', 'none'] as const;
export type PullState = (typeof PULL_STATES)[number];
export type CheckState = (typeof CHECK_STATES)[number];
export type ReviewState = 'none' | 'requested' | 'changes_requested' | 'approved';

export interface PullRequest {
  number: number;
  url: string;
  title: string;
  state: PullState;
  head: { branch: string; sha: string };
  base: { branch: string; sha: string | null };
  /** Null while the host does not know, and in lists without this value. */
  mergeable: boolean | null;
  mergedAt: Date | null;
  /** Whether a review is requested. */
  reviewRequested: boolean;
  /** From a fork: its branch is not in this repository. */
  foreign: boolean;
}

export interface Check {
  name: string;
  /** `none`: skipped or optional. */
  state: CheckState;
  url: string | null;
  summary: string | null;
  /** How the adapter finds the log; opaque to others. */
  log: string | null;
}

export interface Review {
  author: string;
  state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  body: string;
  at: string;
  /** The commit of the review, where the host names it. */
  sha?: string | null;
}

export interface LineComment {
  path: string;
  line: number | null;
  author: string;
  body: string;
  at: string;
}

export interface Opinions {
  /** Oldest first, with the last decision of each author. */
  reviews: Review[];
  comments: LineComment[];
}

export interface IssueQuery {
  label?: string | undefined;
  state: 'open' | 'all';
  /** Only issues changed since. */
  since?: Date;
  page?: string;
}

export interface IssuePage {
  issues: Issue[];
  next: string | undefined;
  /** The time of the host's clock. */
  hostTime?: Date | undefined;
}

export interface Issue {
  number: number;
  url: string;
  title: string;
  body: string;
  author: string;
  labels: string[];
  open: boolean;
  /** Closed as not planned. */
  isCanceled: boolean;
  assignees: IssuePerson[];
  milestone: string | null;
  dueAt: Date | null;
  /** The address of the parent issue. */
  parent: string | null;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  commentCount: number;
}

export interface IssuePerson {
  name: string;
  login: string;
  email: string | null;
}

export interface IssueComment {
  author: string;
  body: string;
  at: Date;
}

export type ForgeFault =
  /** No answer, a 5xx or an unreadable answer: trying again may help. */
  | 'unreachable'
  /** The token is invalid or not allowed to do this. */
  | 'refused'
  /** It does not exist, or the token may not see it. */
  | 'missing'
  /** A rate limit, until `retryAt`. */
  | 'limited'
  /** The host rejected the request. */
  | 'invalid';

/** Why a request failed, in words for people; contains neither the token nor text of the host. */
export class ForgeFailed extends Error {
  override name = 'ForgeFailed';

  constructor(
    readonly fault: ForgeFault,
    message: string,
    readonly retryAt: Date | null = null,
  ) {
    super(message);
  }
}

export interface ForgeAddress {
  kind: ForgeKind;
  apiUrl: string;
  repository: string;
  token: string;
}

export type OpenForge = (address: ForgeAddress) => Forge;
