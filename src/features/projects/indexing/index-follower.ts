import type { StepOutcome } from '../../../code/graph/advance.js';
import type { NodeTable } from '../../../code/graph/node-table.js';
import type { Tx } from '../../../platform/database/database.js';
import type { FileChange } from '../git/tree.js';

/** Whoever keeps something anchored to code goes along with every pass, step by step, and commits with it. */
export interface IndexFollower {
  open(project: { projectId: string; brandId: number }): Promise<FollowedRun>;
}

export interface FollowedRun {
  isAnchored(nodeNo: number): boolean;
  step(step: FollowedStep): Promise<void>;
  /** Looks at the commit that the pass ends with; nothing is written yet. */
  finish(files: ReadonlyMap<string, { blob: string }>, table: NodeTable, readText: ReadText): Promise<void>;
  /** May run again when the transaction has to be repeated. */
  write(tx: Tx): Promise<{ lessons: number; warnings: string[] }>;
}

export interface FollowedStep {
  commit: string;
  changes: readonly FileChange[];
  outcome: StepOutcome;
  table: NodeTable;
  readText: ReadText;
}

/** The text of a blob; undefined when it is too large or no text. */
export type ReadText = (blob: string) => Promise<string | undefined>;
