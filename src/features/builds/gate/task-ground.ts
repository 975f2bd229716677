import { takeTurns } from '../../../kernel/event-loop.js';
import type { CodeGraph, WalkedKind } from '../../projects/projects.service.js';
import type { TaskGround } from './strays.js';

const WALKED: ReadonlySet<WalkedKind> = new Set(['import', 'call']);
const HOPS = 2;
const MOST_NEAR = 5000;

/**
 * Where a task takes place: the files and folders of the code that its texts name, and what has to do with those. A card's
 * own footprint will stand in its place once cards have one.
 */
export async function findGround(
  graph: CodeGraph | undefined,
  candidates: readonly string[],
  changed: readonly string[],
): Promise<TaskGround> {
  const touched = new Set(changed);
  const named = candidates.filter(
    (path) =>
      touched.has(path) ||
      graph?.findByPath(path) !== undefined ||
      graph?.findByPath(`${path}/`) !== undefined,
  );
  // A file may be called by its last name alone.
  const short = changed.filter((path) => candidates.includes(path.slice(path.lastIndexOf('/') + 1)));
  const places = [...new Set([...named.map((path) => path.replace(/#.*$/, '')), ...short])];
  return { named: places, near: graph ? await walk(graph, places) : [], footprint: null };
}

async function walk(graph: CodeGraph, places: readonly string[]): Promise<string[]> {
  const turn = takeTurns();
  const near = new Set<string>();
  let edge = new Set(places.flatMap((path) => graph.findByPath(path) ?? []));
  for (let hop = 0; hop < HOPS && near.size < MOST_NEAR; hop++) {
    const next = new Set<number>();
    for (const node of edge) {
      await turn();
      for (const one of [node, ...graph.symbolsUnder(node)])
        for (const { node: other } of graph.neighbours(one, WALKED, 'both')) {
          const file = fileOf(graph, other);
          const { path } = graph.nodes[file]!;
          if (near.has(path) || near.size >= MOST_NEAR) continue;
          near.add(path);
          next.add(file);
        }
    }
    edge = next;
  }
  return [...near];
}

function fileOf(graph: CodeGraph, node: number): number {
  let at = node;
  while (graph.nodes[at]!.kind === 'symbol') {
    const parent = graph.parentOf(at);
    if (parent === undefined) break;
    at = parent;
  }
  return at;
}

/** The changed file that most other files use, and how many those are. */
export async function findMostUsed(
  graph: CodeGraph | undefined,
  changed: readonly string[],
): Promise<{ path: string; count: number } | null> {
  const turn = takeTurns();
  let most: { path: string; count: number } | null = null;
  for (const path of graph ? changed : []) {
    await turn();
    const node = graph!.findByPath(path);
    if (node === undefined) continue;
    const users = new Set<number>();
    for (const one of [node, ...graph!.symbolsUnder(node)])
      for (const { node: other } of graph!.neighbours(one, WALKED, 'in')) users.add(fileOf(graph!, other));
    users.delete(node);
    if (users.size > (most?.count ?? 0)) most = { path, count: users.size };
  }
  return most;
}
