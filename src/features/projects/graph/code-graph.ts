import type { NodeKind } from '../identity/node-table.js';
import { type NumberedEdge, unpackEdges } from '../indexing/packed-edges.js';

export type EdgeKind = 'import' | 'symbol_import' | 'call' | 'contains';
export type WalkedKind = 'import' | 'call' | 'contains';

export interface GraphNode {
  no: number;
  id: string;
  kind: NodeKind;
  path: string;
  parent: number | null;
}

export interface Neighbour {
  node: number;
  edge: EdgeKind;
}

const KIND_OF: readonly EdgeKind[] = ['import', 'symbol_import', 'call'];

/** The live code of one index, kept in memory: nodes are addressed by their position. */
export class CodeGraph {
  readonly #byId = new Map<string, number>();
  readonly #byNo = new Map<number, number>();
  readonly #byPath = new Map<string, number>();
  readonly #parents: Int32Array;
  readonly #children: AdjacencyList;
  readonly #out: AdjacencyList;
  readonly #in: AdjacencyList;

  constructor(
    readonly nodes: readonly GraphNode[],
    packedEdges: Iterable<Buffer>,
  ) {
    nodes.forEach((node, position) => {
      this.#byId.set(node.id, position);
      this.#byNo.set(node.no, position);
      // A file may be called what a symbol of another file is called; the file is meant then.
      if (node.kind !== 'symbol' || !this.#byPath.has(node.path)) this.#byPath.set(node.path, position);
    });
    this.#parents = Int32Array.from(nodes, (node) =>
      node.parent === null ? -1 : (this.#byNo.get(node.parent) ?? -1),
    );
    const links: [number, number, number][] = [];
    for (const packed of packedEdges) for (const edge of unpackEdges(packed)) this.#addLink(links, edge);
    const contained: [number, number, number][] = [];
    this.#parents.forEach((parent, child) => {
      if (parent >= 0) contained.push([parent, child, 0]);
    });
    this.#children = new AdjacencyList(nodes.length, contained);
    this.#out = new AdjacencyList(nodes.length, links);
    this.#in = new AdjacencyList(
      nodes.length,
      links.map(([source, target, kind]) => [target, source, kind]),
    );
  }

  #addLink(links: [number, number, number][], edge: NumberedEdge): void {
    const source = this.#byNo.get(edge.source);
    const target = this.#byNo.get(edge.target);
    if (source !== undefined && target !== undefined)
      links.push([source, target, KIND_OF.indexOf(edge.kind)]);
  }

  get size(): number {
    return this.nodes.length + this.#out.size;
  }

  findById(id: string): number | undefined {
    return this.#byId.get(id);
  }

  findByNo(no: number): number | undefined {
    return this.#byNo.get(no);
  }

  findByPath(path: string): number | undefined {
    return this.#byPath.get(path);
  }

  parentOf(node: number): number | undefined {
    const parent = this.#parents[node]!;
    return parent < 0 ? undefined : parent;
  }

  /** Edges of the followed kinds that lead away from a node, in a fixed order. */
  neighbours(node: number, kinds: ReadonlySet<WalkedKind>, direction: 'out' | 'in' | 'both'): Neighbour[] {
    const found: Neighbour[] = [];
    const links = (list: AdjacencyList) => {
      list.each(node, (other, kind) => {
        const edge = KIND_OF[kind]!;
        if (kinds.has(edge === 'call' ? 'call' : 'import')) found.push({ node: other, edge });
      });
    };
    if (direction !== 'in') links(this.#out);
    if (direction !== 'out') links(this.#in);
    if (!kinds.has('contains')) return found;
    const parent = direction === 'out' ? undefined : this.parentOf(node);
    if (parent !== undefined) found.push({ node: parent, edge: 'contains' });
    if (direction !== 'in')
      this.#children.each(node, (child) => found.push({ node: child, edge: 'contains' }));
    return found;
  }

  /** Every symbol inside a file or symbol, in a fixed order. */
  symbolsUnder(node: number): number[] {
    const found: number[] = [];
    const collect = (holder: number) =>
      this.#children.each(holder, (child) => {
        found.push(child);
        collect(child);
      });
    collect(node);
    return found;
  }

  /** Edges of one kind in both directions. A symbol taken from a file that is imported is no second import. */
  degree(node: number, kind: WalkedKind): number {
    if (kind === 'contains') return this.#children.count(node) + (this.#parents[node]! < 0 ? 0 : 1);
    let count = 0;
    const imported = new Set<number>();
    const taken: number[] = [];
    this.#out.each(node, (other, edge) => {
      if (KIND_OF[edge] === 'symbol_import') taken.push(other);
      else if ((KIND_OF[edge] === 'call') === (kind === 'call')) count++;
      if (KIND_OF[edge] === 'import') imported.add(other);
    });
    this.#in.each(node, (_other, edge) => {
      if ((KIND_OF[edge] === 'call') === (kind === 'call')) count++;
    });
    if (kind === 'call') return count;
    return count + taken.filter((symbol) => !imported.has(this.#fileAround(symbol))).length;
  }

  #fileAround(symbol: number): number {
    let node = symbol;
    while (this.nodes[node]!.kind === 'symbol' && this.#parents[node]! >= 0) node = this.#parents[node]!;
    return node;
  }
}

/** Neighbours of all nodes in two flat arrays. */
class AdjacencyList {
  readonly #starts: Int32Array;
  readonly #targets: Int32Array;
  readonly #kinds: Uint8Array;

  constructor(nodes: number, edges: readonly [number, number, number][]) {
    this.#starts = new Int32Array(nodes + 1);
    for (const [source] of edges) this.#starts[source + 1]!++;
    for (let node = 0; node < nodes; node++) this.#starts[node + 1]! += this.#starts[node]!;
    const next = this.#starts.slice();
    this.#targets = new Int32Array(edges.length);
    this.#kinds = new Uint8Array(edges.length);
    for (const [source, target, kind] of edges) {
      const at = next[source]!++;
      this.#targets[at] = target;
      this.#kinds[at] = kind;
    }
  }

  get size(): number {
    return this.#targets.length;
  }

  count(node: number): number {
    return this.#starts[node + 1]! - this.#starts[node]!;
  }

  each(node: number, visit: (target: number, kind: number) => void): void {
    for (let at = this.#starts[node]!; at < this.#starts[node + 1]!; at++)
      visit(this.#targets[at]!, this.#kinds[at]!);
  }
}
