import type { CodeGraph, EdgeKind, Neighbour, WalkedKind } from '../../projects/index.js';
import { type Anchor, anchorCandidates, parseAnchor } from '../files/anchors.js';
import { invalidAnchor } from '../lessons.errors.js';

interface WalkRules {
  depth: number;
  kinds: ReadonlySet<WalkedKind>;
  direction: 'out' | 'in' | 'both';
  hubCap: number;
}

interface Reached {
  hops: number;
  from: number | null;
  edge: EdgeKind | null;
}

export interface Nearby {
  node: number;
  hops: number;
}

interface Step {
  node_id: string;
  path: string;
  edge: EdgeKind | null;
}

const MOST_NODES = 1000;
const CALLS: ReadonlySet<WalkedKind> = new Set(['call']);

export type Walk = ReturnType<typeof walkCode>;

/** Walks the code graph from the start nodes, level by level. */
export function walkCode(graph: CodeGraph, starts: Iterable<number>, rules: WalkRules) {
  /** In the order they were reached. */
  const reached = new Map<number, Reached>();
  const damped: { node: number; degree: number }[] = [];
  const hubs = new Set<number>();
  let isCapped = false;

  function edgesFrom(node: number): Neighbour[] {
    const edges = graph.neighbours(node, rules.kinds, rules.direction);
    const isStart = reached.get(node)!.hops === 0;
    if (!isStart || !rules.kinds.has('call') || graph.nodes[node]!.kind !== 'file') return edges;
    // Only symbols have calls, so a start file uses the calls of its symbols.
    return edges.concat(
      graph.symbolsUnder(node).flatMap((symbol) => graph.neighbours(symbol, CALLS, rules.direction)),
    );
  }

  function expand(level: readonly number[], hops: number): number[] {
    const next: number[] = [];
    for (const from of level) {
      if (hubs.has(from)) continue;
      for (const { node, edge } of edgesFrom(from)) {
        if (reached.has(node)) continue;
        if (reached.size >= MOST_NODES) {
          isCapped = true;
          return next;
        }
        reached.set(node, { hops, from, edge });
        noteHub(node);
        next.push(node);
      }
    }
    return next;
  }

  function noteHub(node: number): void {
    let degree = 0;
    for (const kind of rules.kinds) degree = Math.max(degree, graph.degree(node, kind));
    if (degree <= rules.hubCap) return;
    hubs.add(node);
    damped.push({ node, degree });
  }

  /**
   * Finds the reached node for a lesson anchored here: a start node above it, or the nearest of the node, its
   * enclosing symbols and its file. On equal hops, the closest to the anchor wins. A reached folder returns
   * only its own lessons.
   */
  function nearest(anchored: number): Nearby | undefined {
    const ownKind = graph.nodes[anchored]!.kind;
    let best: Nearby | undefined;
    for (let node: number | undefined = anchored; node !== undefined; node = graph.parentOf(node)) {
      const hops = reached.get(node)?.hops;
      if (hops === undefined) continue;
      const isInside = node === anchored || (ownKind !== 'folder' && graph.nodes[node]!.kind !== 'folder');
      if ((hops === 0 || isInside) && (!best || hops < best.hops)) best = { node, hops };
    }
    return best;
  }

  function pathTo(node: number): Step[] {
    const steps: Step[] = [];
    for (let at: number | null = node; at !== null; at = reached.get(at)!.from) {
      const { id, path } = graph.nodes[at]!;
      steps.unshift({ node_id: id, path, edge: reached.get(at)!.edge });
    }
    return steps;
  }

  for (const start of starts) reached.set(start, { hops: 0, from: null, edge: null });
  let level = [...reached.keys()];
  for (let hops = 1; hops <= rules.depth && level.length > 0 && !isCapped; hops++)
    level = expand(level, hops);

  return { graph, reached, damped, isCapped, nearest, pathTo };
}

export function readStart(path: string, field: string): Anchor {
  const anchor = parseAnchor(path);
  if (!anchor) throw invalidAnchor(field);
  return anchor;
}

export const findStart = (graph: CodeGraph, anchor: Anchor): number | undefined =>
  anchorCandidates(anchor)
    .map(({ path }) => graph.findByPath(path))
    .find((node) => node !== undefined);
