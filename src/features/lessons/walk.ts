import type { CodeGraph, EdgeKind, WalkedKind } from '../projects/projects.service.js';

export interface WalkRules {
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

const MOST_NODES = 1000;

/** The nodes around some start points, level by level. */
export class Walk {
  /** In the order they were reached. */
  readonly reached = new Map<number, Reached>();
  readonly damped: { node: number; degree: number }[] = [];
  /** A further node was there and had to be left out. */
  capped = false;
  readonly #hubs = new Set<number>();

  constructor(
    readonly graph: CodeGraph,
    starts: Iterable<number>,
    readonly rules: WalkRules,
  ) {
    let level: number[] = [];
    for (const start of starts) {
      if (this.reached.has(start)) continue;
      this.reached.set(start, { hops: 0, from: null, edge: null });
      level.push(start);
    }
    for (let hops = 1; hops <= rules.depth && level.length > 0 && !this.capped; hops++)
      level = this.#expand(level, hops);
  }

  #expand(level: readonly number[], hops: number): number[] {
    const { graph, rules } = this;
    const next: number[] = [];
    for (const from of level) {
      if (this.#hubs.has(from)) continue;
      for (const { node, edge } of graph.neighbours(from, rules.kinds, rules.direction)) {
        if (this.reached.has(node)) continue;
        if (this.reached.size >= MOST_NODES) {
          this.capped = true;
          return next;
        }
        this.reached.set(node, { hops, from, edge });
        this.#judgeHub(node);
        next.push(node);
      }
    }
    return next;
  }

  #judgeHub(node: number): void {
    let degree = 0;
    for (const kind of this.rules.kinds) degree = Math.max(degree, this.graph.degree(node, kind));
    if (degree <= this.rules.hubCap) return;
    this.#hubs.add(node);
    this.damped.push({ node, degree });
  }

  /**
   * The reached node through which something anchored here counts: the start it lies under, or the nearest of the node itself
   * and the symbols and file around it. At equal hops the one closest to the anchor. A folder only gives what is on itself.
   */
  nearest(anchored: number): { node: number; hops: number } | undefined {
    const { graph, reached } = this;
    const ownKind = graph.nodes[anchored]!.kind;
    let best: { node: number; hops: number } | undefined;
    for (let node: number | undefined = anchored; node !== undefined; node = graph.parentOf(node)) {
      const hops = reached.get(node)?.hops;
      if (hops === undefined) continue;
      const isInside = node === anchored || (ownKind !== 'folder' && graph.nodes[node]!.kind !== 'folder');
      if ((hops === 0 || isInside) && (!best || hops < best.hops)) best = { node, hops };
    }
    return best;
  }

  pathTo(node: number): { node_id: string; path: string; edge: EdgeKind | null }[] {
    const steps: { node_id: string; path: string; edge: EdgeKind | null }[] = [];
    for (let at: number | null = node; at !== null; at = this.reached.get(at)!.from) {
      const { id, path } = this.graph.nodes[at]!;
      steps.unshift({ node_id: id, path, edge: this.reached.get(at)!.edge });
    }
    return steps;
  }
}
