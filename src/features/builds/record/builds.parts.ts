import type { MemberCaller } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Analysis } from '../analysis.schemas.js';
import type { ReworkReason } from '../builds.schemas.js';
import type { Verdict } from '../reviewer.schemas.js';
import type { BuildRow } from './builds.store.js';

/** What the core of builds asks of its other rooms and of other features; put together in one place. */
export interface BuildParts {
  /** The branch that a build starts from and its commit; undefined when the repository has no such branch. Null: the project's own. */
  resolveBase(
    project: BaseProject,
    baseBranch: string | null,
  ): Promise<{ branch: string; sha: string } | undefined>;
  /** The brief of a build, made anew from what the workspace knows now. */
  writeBrief(build: BriefedBuild): Promise<WrittenBrief>;
  /** A token for the coder of a build that has just started, kept in the same transaction. */
  issueToken(tx: Tx, build: BuildRow): Promise<{ url: string; token: string }>;
  /** Ends the token; called when a build ends, in the same transaction. */
  endToken(tx: Tx, build: BuildRow): Promise<void>;
  /** Whoever asked for a build, as whom the service goes on with it; undefined when they have left. */
  findAsker(build: BuildRow): Promise<MemberCaller | undefined>;
  /** What stands out in the change of a build, and how much of a risk it is. */
  analyze(build: BuildRow): Promise<Analysis>;
  /** Where in a build the remarks of a reviewer stand. */
  placeRemarks(build: BuildRow, verdict: Verdict): Promise<PlacedRemark[]>;
  /** Keeps them beside the lines, in the transaction that ends the build. */
  keepRemarks(tx: Tx, build: BuildRow, coder: string, placed: readonly PlacedRemark[]): Promise<void>;
  /** What of the card's pull request an attempt that starts or ends has to know. */
  pullRequests: Pick<WayHome, 'findBranch' | 'findClosedSince'>;
  /** What was said during a build, for the agent that the card is assigned to; nothing without one. */
  handOver(tx: Tx, build: BuildRow, conversation: SaidLine[]): Promise<void>;
}

/** What of a build its brief depends on: it may not be there yet. */
export type BriefedBuild = Pick<BuildRow, 'brand_id' | 'task_id' | 'local' | 'note' | 'continues'> &
  Partial<Pick<BuildRow, 'build_id' | 'reviewed_build_id' | 'rework_of'>>;

export interface WrittenBrief {
  text: string;
  /** It holds words of a guest, or of a coder that was given some. */
  guestWords: boolean;
}

export interface BaseProject {
  repository_url: string | null;
  project_id: string;
  brand_id: number;
  repository_branch: string | null;
  ready_commit: string | null;
}

/** A place in a build that something is said of; all of it without a path. */
export interface Spot {
  path: string | null;
  line: number | null;
  side: 'old' | 'new';
  commit_sha: string | null;
  context: string | null;
}

/** A remark of a reviewer with the place where it stands. */
export interface PlacedRemark {
  spot: Spot;
  body: string;
}

export interface SaidLine {
  role: string;
  content: string;
  at: string | null;
}

/** Where accepted work goes on: as a pull request on the team's own host. */
export interface WayHome {
  /** Whether a pull request follows an accepted build: then it is the merge that ends the card. */
  leadsOn(db: Db | Tx, build: Pick<BuildRow, 'brand_id' | 'project_id'>): Promise<boolean>;
  /** The branch of the card's open pull request, which an attempt that goes on from it is pushed to. */
  findBranch(
    db: Db | Tx,
    build: Pick<BuildRow, 'brand_id' | 'project_id' | 'task_id'>,
  ): Promise<string | undefined>;
  /** Whether the card has an open pull request that its host reports on. */
  isFollowed(db: Db | Tx, build: Pick<BuildRow, 'brand_id' | 'task_id'>): Promise<boolean>;
  /** Whether the pull request that the build belongs to is merged: that of its card, unless the build began after the merge. */
  isMerged(
    db: Db | Tx,
    build: Pick<BuildRow, 'brand_id' | 'task_id' | 'build_id' | 'queued_at'>,
  ): Promise<boolean>;
  /** What the card says of a pull request that was closed without a merge while an attempt ran; in the transaction that ends it. */
  findClosedSince(
    tx: Tx,
    build: Pick<BuildRow, 'brand_id' | 'task_id'>,
    since: Date,
  ): Promise<{ error_code: string; error_message: string } | undefined>;
  /** In the transaction that notes the push. */
  pushed(tx: Tx, build: BuildRow, branch: string): Promise<void>;
}

/** What the host said of the attempt before; it is data, whoever wrote it. */
export interface CameBack {
  because: ReworkReason[];
  pull_request: number;
  checks: { name: string; summary: string | null; log: string | null }[];
  comments: { path: string | null; line: number | null; author: string; body: string; at: string }[];
  /** In which the work and its base cannot be brought together. */
  files: string[];
}
