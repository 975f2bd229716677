import { LRUCache } from 'lru-cache';
import type { Db } from '../../../platform/database/database.js';
import type { CodeGraph } from './code-graph.js';
import { loadGraph } from './index.store.js';

interface Remembered {
  version: number;
  graph: CodeGraph;
}

const MOST_REMEMBERED = 3_000_000;

export function createGraphMemory(db: Db) {
  const graphs = new LRUCache<string, Remembered>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: ({ graph }) => graph.size + 1,
  });
  const loading = new Map<string, Promise<CodeGraph>>();

  function load(projectId: string, version: number, key: string): Promise<CodeGraph> {
    const started = loadGraph(db, projectId).finally(() => loading.delete(key));
    loading.set(key, started);
    started.then(
      (graph) => graphs.set(projectId, { version, graph }),
      () => {},
    );
    return started;
  }

  return {
    async get(projectId: string, version: number): Promise<CodeGraph> {
      const known = graphs.get(projectId);
      if (known?.version === version) return known.graph;
      const key = `${projectId} ${version}`;
      return loading.get(key) ?? load(projectId, version, key);
    },
  };
}
