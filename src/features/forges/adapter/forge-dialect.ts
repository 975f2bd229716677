import type { JsonObject } from './answer-values.js';
import type {
  Check,
  ForgeAddress,
  Issue,
  IssueQuery,
  Opinions,
  PullRequest,
  PullRequestChange,
  PullRequestDraft,
  PullRequestFilter,
  Standing,
} from './forge.js';
import type { ForgeClient, Query } from './forge-client.js';

/** What differs between kinds of hosts: paths, bodies, and how answers are read. The adapter holds everything else. */
export interface ForgeDialect {
  /** Sent with every request; one of them carries the token. */
  headers: Readonly<Record<string, string>>;
  fullPage: Readonly<Record<string, number>>;
  longestTitle: number;
  longestBody: number;
  repositoryPath: string;
  pullsPath: string;
  commentsPath(issue: number): string;
  changeMethod: 'PATCH' | 'PUT';
  /** Asks the host a second time after this long before a conflict is believed. */
  conflictRecheckMs?: number;

  readStanding(
    client: ForgeClient,
    repository: JsonObject,
    defaultBranch: string,
  ): Promise<Omit<Standing, 'defaultBranch'>>;
  draftBody(draft: PullRequestDraft): object;
  changeBody(change: PullRequestChange): object;
  listPulls(filter?: PullRequestFilter): { query: Query; pages: number };
  readPull(pull: JsonObject, isListed: boolean): PullRequest;
  readChecks(client: ForgeClient, sha: string): Promise<Check[]>;
  readReviews(client: ForgeClient, pullPath: string): Promise<Opinions>;
  /** Where the log of a check is; undefined where the host does not give it. */
  findLog(client: ForgeClient, log: string): Promise<string | undefined>;
  findDeployment(client: ForgeClient, sha: string): Promise<string | undefined>;
  issuesQuery(query: IssueQuery): Query;
  /** Undefined for a pull request among the issues. */
  readIssue(issue: JsonObject): Issue | undefined;
  hasLabel(labels: readonly string[], label: string): boolean;
  /** Without the notes that the host writes by itself. */
  readComments(client: ForgeClient, issue: number): Promise<JsonObject[]>;
  authorOf(comment: JsonObject): string;
}

export type CreateDialect = (address: ForgeAddress) => ForgeDialect;
