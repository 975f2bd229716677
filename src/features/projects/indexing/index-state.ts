import { LRUCache } from 'lru-cache';
import type { StepOutcome } from '../../../code/graph/advance.js';
import { type CodeNode, NodeTable } from '../../../code/graph/node-table.js';
import type { Language } from '../../../code/languages.js';
import type { FileFacts } from '../../../code/parsing/facts.js';
import { newId } from '../../../kernel/ids.js';
import type { Tx } from '../../../platform/database/database.js';
import type { FileChange, Tree } from '../git/tree.js';
import { PROJECT_BOUNDS } from './bounds.js';
import type { FactKeys } from './fact-source.js';

/** The inputs that each file used during linking, so that the next run links only affected files. */
export interface LinkMemory {
  files: { path: string; blob: string; reads: Int32Array; languages: readonly Language[]; steps: number }[];
}

/** The state an index run starts from. Equals the stored one, so a process may keep it for the next run. */
export interface IndexState {
  version: number;
  table: NodeTable;
  facts: Map<string, FileFacts>;
  factKeys: FactKeys;
  edges: Map<number, Buffer>;
  /** Known only to the process that made the last run. */
  tree?: (Tree & { commit: string }) | undefined;
  links?: LinkMemory | undefined;
}

export function makeState(
  version: number,
  nodes: Iterable<CodeNode>,
  facts: Map<string, FileFacts>,
  edges: Map<number, Buffer>,
): IndexState {
  return { version, table: new NodeTable(nodes, newId), facts, factKeys: new Map(), edges };
}

const MOST_REMEMBERED = PROJECT_BOUNDS.nodes;

/** Index states by project, limited by their number of nodes. */
export function createIndexMemory() {
  const states = new LRUCache<string, IndexState>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: (state) => state.table.nodes.size + 1,
  });
  return {
    /** Removes the state from the cache, so that a failed run leaves nothing half-changed. */
    take(projectId: string, version: number): IndexState | undefined {
      const state = states.get(projectId);
      states.delete(projectId);
      return state?.version === version ? state : undefined;
    },

    keep(projectId: string, state: IndexState): void {
      states.set(projectId, state);
    },
  };
}

/** Lessons are anchored to code: a follower sees every step of a run and commits with it. */
export interface IndexFollower {
  open(project: { projectId: string; brandId: number }): Promise<FollowedRun>;
}

export interface FollowedRun {
  isAnchored(nodeNo: number): boolean;
  step(step: FollowedStep): Promise<void>;
  /** Sees the final commit; must not write yet. */
  finish(files: ReadonlyMap<string, { blob: string }>, table: NodeTable, readText: ReadText): Promise<void>;
  /** May run again when the transaction is retried. */
  write(tx: Tx): Promise<{ lessons: number; warnings: string[] }>;
}

export interface FollowedStep {
  commit: string;
  changes: readonly FileChange[];
  outcome: StepOutcome;
  table: NodeTable;
  readText: ReadText;
}

export type ReadText = (blob: string) => Promise<string | undefined>;
