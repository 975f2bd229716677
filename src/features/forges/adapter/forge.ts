/** A host of repositories, as the rest of this feature knows it: which one it is, only its adapter knows. */
export interface Forge {
  /** Whether the token does: the repository as the host spells it, its default branch, and what may be done with it. */
  tryOut(): Promise<Standing>;
  openPullRequest(draft: PullRequestDraft): Promise<PullRequest>;
  changePullRequest(number: number, change: PullRequestChange): Promise<PullRequest>;
  /** Open ones, newest first, at most some hundred; of one branch where that is named, with `ended` also those that are over. */
  listOpenPullRequests(filter?: PullRequestFilter): Promise<PullRequest[]>;
  /** Undefined where the host knows none by this number. */
  readPullRequest(number: number): Promise<PullRequest | undefined>;
  readChecks(sha: string): Promise<Check[]>;
  readReviews(number: number): Promise<Opinions>;
  /** The end of what a check printed, at most `lines` of it; undefined where the host does not give it. */
  readCheckLog(check: Check, lines: number): Promise<string | undefined>;
  /** Where the newest successful deployment of a commit can be seen. */
  findDeployment(sha: string): Promise<string | undefined>;
  /** Issues, not pull requests, those changed last at the end. `next` goes on. */
  listIssues(query: IssueQuery): Promise<IssuePage>;
  listComments(issue: number): Promise<IssueComment[]>;
  /** Once: where a comment with this very body is there already, none is made. */
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
  /** Null while the host does not know, and where a list does not tell. */
  mergeable: boolean | null;
  mergedAt: Date | null;
  /** Whether somebody was asked to look at it. */
  reviewRequested: boolean;
  /** From a fork: its branch is not in this repository. */
  foreign: boolean;
}

export interface Check {
  name: string;
  /** `none`: skipped, or of no account. */
  state: CheckState;
  url: string | null;
  summary: string | null;
  /** How the adapter finds its log; nobody else reads it. */
  log: string | null;
}

export interface Review {
  author: string;
  state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  body: string;
  at: string;
  /** The head it was written of, where the host tells. */
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
  /** Oldest first. Of each author the last decision alone: what it took the place of is left out. */
  reviews: Review[];
  comments: LineComment[];
}

export interface IssueQuery {
  label?: string | undefined;
  state: 'open' | 'all';
  /** Changed since. */
  since?: Date;
  page?: string;
}

export interface IssuePage {
  issues: Issue[];
  next: string | undefined;
  /** By the host's own clock, where it tells. */
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
  /** Closed without being done. */
  isCanceled: boolean;
  assignees: IssuePerson[];
  milestone: string | null;
  dueAt: Date | null;
  /** The address of the issue it stands below. */
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
  /** No answer, a 5xx, or an answer that cannot be read: another time it may go well. */
  | 'unreachable'
  /** The token does not do, or does not do for this. */
  | 'refused'
  /** There is no such thing, or the token does not see it. */
  | 'missing'
  /** Too much was asked: not before `retryAt`. */
  | 'limited'
  /** The host understood and does not want to. */
  | 'invalid';

/** Why a host gave nothing, in words for people; never holds the token, nor what the host said of it. */
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
