import type { Tx } from '../../database/database.js';
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
  /** What was said during a build, for the agent that the card is assigned to; nothing without one. */
  handOver(tx: Tx, build: BuildRow, conversation: SaidLine[]): Promise<void>;
}

/** What of a build its brief depends on: it may not be there yet. */
export type BriefedBuild = Pick<BuildRow, 'brand_id' | 'task_id' | 'local' | 'note' | 'continues'>;

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

export interface SaidLine {
  role: string;
  content: string;
  at: string | null;
}
