import { LRUCache } from 'lru-cache';
import { type CodeNode, NodeTable } from '../../../code/graph/node-table.js';
import type { FileFacts } from '../../../code/parsing/facts.js';
import { newId } from '../../../kernel/ids.js';
import type { Tree } from '../git/tree.js';
import { PROJECT_BOUNDS } from './bounds.js';
import type { FactKeys } from './fact-source.js';
import type { LinkMemory } from './link-memory.js';

/** Everything a pass starts from. It equals what is stored, so a process may keep it for the next pass. */
export interface IndexState {
  version: number;
  table: NodeTable;
  facts: Map<string, FileFacts>;
  factKeys: FactKeys;
  /** Packed edges by the file they leave. */
  edges: Map<number, Buffer>;
  /** The files at the commit of the last pass, and how their edges were found; a process that has just loaded the rest does not know. */
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

/** The largest project there may be, or several smaller ones. */
const MOST_REMEMBERED = PROJECT_BOUNDS.nodes;

/** States by project; the larger they are, the fewer. */
export function createIndexMemory() {
  const states = new LRUCache<string, IndexState>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: (state) => state.table.nodes.size + 1,
  });
  return {
    /** Taken out, so that a pass that fails leaves nothing half-changed behind. */
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
