export interface Forge {
  /** Checks the token; returns the repository's name, its default branch and the token's permissions. */
  tryOut(): Promise<Standing>;
  openPullRequest(draft: PullRequestDraft): Promise<PullRequest>;
  changePullRequest(number: number, change: PullRequestChange): Promise<PullRequest>;
  /** Newest first, up to a few hundred. */
  listOpenPullRequests(filter?: PullRequestFilter): Promise<PullRequest[]>;
  readPullRequest(number: number): Promise<PullRequest | undefined>;
  readChecks(sha: string): Promise<Check[]>;
  readReviews(number: number): Promise<Opinions>;
  /** Undefined if the host does not provide the log. */
  readCheckLog(check: Check, lines: number): Promise<string | undefined>;
  /** The newest successful one. */
  findDeployment(sha: string): Promise<string | undefined>;
  /** Excludes pull requests; the most recently changed issues come last. */
  listIssues(query: IssueQuery): Promise<IssuePage>;
  listComments(issue: number): Promise<IssueComment[]>;
  /** Idempotent: does nothing if a comment with this body exists. */
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

/** With `ended`, closed and merged pull requests are included. */
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
  reviewRequested: boolean;
  /** True for a fork: the branch is not in this repository. */
  foreign: boolean;
}

export interface Check {
  name: string;
  state: CheckState;
  url: string | null;
  summary: string | null;
  /** How the adapter finds the log; opaque to callers. */
  log: string | null;
}

export interface Review {
  author: string;
  state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  body: string;
  at: string;
  /** The reviewed commit, if the host provides it. */
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
  /** Oldest first; of each author only the last decision. */
  reviews: Review[];
  comments: LineComment[];
}

export interface IssueQuery {
  label?: string | undefined;
  state: 'open' | 'all';
  since?: Date;
  page?: string;
}

export interface IssuePage {
  issues: Issue[];
  next: string | undefined;
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
  isCanceled: boolean;
  assignees: IssuePerson[];
  milestone: string | null;
  dueAt: Date | null;
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
  /** No answer, a 5xx or an unreadable answer: a retry may help. */
  | 'unreachable'
  /** The token is invalid or not allowed to do this. */
  | 'refused'
  /** It does not exist, or the token cannot see it. */
  | 'missing'
  /** A rate limit, until `retryAt`. */
  | 'limited'
  | 'invalid';

/** The message is shown to people; it contains neither the token nor text from the host. */
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
