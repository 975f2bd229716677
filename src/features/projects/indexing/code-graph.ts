import type { LinkKind } from '../../../code/graph/linker.js';
import type { NodeKind } from '../../../code/graph/node-table.js';
import { yieldRegularly } from '../../../kernel/async.js';

export interface NumberedEdge {
  source: number;
  target: number;
  kind: LinkKind;
}

const KINDS: readonly LinkKind[] = ['import', 'symbol_import', 'call'];

export const EDGE_BYTES = 12;

export function packEdges(edges: readonly NumberedEdge[]): Buffer {
  const ordered = edges.map(({ source, target, kind }) => ({ source, target, kind: KINDS.indexOf(kind) }));
  ordered.sort(
    (one, other) => one.source - other.source || one.kind - other.kind || one.target - other.target,
  );
  const packed = Buffer.allocUnsafe(ordered.length * EDGE_BYTES);
  ordered.forEach(({ source, target, kind }, index) => {
    packed.writeInt32LE(source, index * EDGE_BYTES);
    packed.writeInt32LE(target, index * EDGE_BYTES + 4);
    packed.writeInt32LE(kind, index * EDGE_BYTES + 8);
  });
  return packed;
}

export function* unpackEdges(packed: Buffer): Generator<NumberedEdge> {
  for (let at = 0; at + EDGE_BYTES <= packed.length; at += EDGE_BYTES)
    yield {
      source: packed.readInt32LE(at),
      target: packed.readInt32LE(at + 4),
      kind: KINDS[packed.readInt32LE(at + 8)]!,
    };
}

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

const PIECE = 2000;

/** Nodes are addressed by their position. */
export class CodeGraph {
  readonly #byId = new Map<string, number>();
  readonly #byNo = new Map<number, number>();
  readonly #byPath = new Map<string, number>();
  readonly #parents: Int32Array;
  readonly #children: AdjacencyList;
  readonly #out: AdjacencyList;
  readonly #in: AdjacencyList;

  private constructor(readonly nodes: readonly GraphNode[]) {
    this.#parents = new Int32Array(nodes.length).fill(-1);
    this.#children = new AdjacencyList(nodes.length);
    this.#out = new AdjacencyList(nodes.length);
    this.#in = new AdjacencyList(nodes.length);
  }

  static async make(nodes: readonly GraphNode[], packedEdges: readonly Buffer[]): Promise<CodeGraph> {
    const graph = new CodeGraph(nodes);
    await graph.#nameNodes();
    await graph.#contain();
    await graph.#link(packedEdges);
    return graph;
  }

  async #nameNodes(): Promise<void> {
    await inPieces(this.nodes.length, (position) => {
      const node = this.nodes[position]!;
      this.#byId.set(node.id, position);
      this.#byNo.set(node.no, position);
      // A file takes precedence over a symbol of the same path.
      if (node.kind !== 'symbol' || !this.#byPath.has(node.path)) this.#byPath.set(node.path, position);
    });
  }

  async #contain(): Promise<void> {
    const parentOf = (position: number) => {
      const { parent } = this.nodes[position]!;
      return parent === null ? undefined : this.#byNo.get(parent);
    };
    await inPieces(this.nodes.length, (position) => {
      const parent = parentOf(position);
      if (parent === undefined) return;
      this.#parents[position] = parent;
      this.#children.count(parent);
    });
    this.#children.open();
    await inPieces(this.nodes.length, (position) => {
      const parent = this.#parents[position]!;
      if (parent >= 0) this.#children.add(parent, position, 0);
    });
  }

  async #link(packedEdges: readonly Buffer[]): Promise<void> {
    const each = (take: (source: number, target: number, kind: number) => void) => (at: number) => {
      for (const edge of unpackEdges(packedEdges[at]!)) {
        const source = this.#byNo.get(edge.source);
        const target = this.#byNo.get(edge.target);
        if (source !== undefined && target !== undefined) take(source, target, KIND_OF.indexOf(edge.kind));
      }
    };
    const count = each((source, target) => {
      this.#out.count(source);
      this.#in.count(target);
    });
    const add = each((source, target, kind) => {
      this.#out.add(source, target, kind);
      this.#in.add(target, source, kind);
    });
    // A file has thousands of edges at most.
    await inPieces(packedEdges.length, count, 20);
    this.#out.open();
    this.#in.open();
    await inPieces(packedEdges.length, add, 20);
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

  /** In a fixed order. */
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

  /** Counts edges of one kind in both directions. A symbol imported from an imported file does not count again. */
  degree(node: number, kind: WalkedKind): number {
    if (kind === 'contains') return this.#children.degree(node) + (this.#parents[node]! < 0 ? 0 : 1);
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

async function inPieces(count: number, look: (position: number) => void, piece = PIECE): Promise<void> {
  const turn = yieldRegularly();
  for (let start = 0; start < count; start += piece) {
    const end = Math.min(count, start + piece);
    for (let position = start; position < end; position++) look(position);
    await turn();
  }
}

class AdjacencyList {
  readonly #starts: Int32Array;
  #next = new Int32Array(0);
  #targets = new Int32Array(0);
  #kinds = new Uint8Array(0);

  constructor(readonly nodes: number) {
    this.#starts = new Int32Array(nodes + 1);
  }

  /** Step 1: count every edge. */
  count(node: number): void {
    this.#starts[node + 1]!++;
  }

  /** Step 2: allocate. */
  open(): void {
    for (let node = 0; node < this.nodes; node++) this.#starts[node + 1]! += this.#starts[node]!;
    this.#next = this.#starts.slice();
    this.#targets = new Int32Array(this.#starts[this.nodes]!);
    this.#kinds = new Uint8Array(this.#starts[this.nodes]!);
  }

  /** Step 3: add the edges in the same order. */
  add(node: number, target: number, kind: number): void {
    const at = this.#next[node]!++;
    this.#targets[at] = target;
    this.#kinds[at] = kind;
  }

  get size(): number {
    return this.#targets.length;
  }

  degree(node: number): number {
    return this.#starts[node + 1]! - this.#starts[node]!;
  }

  each(node: number, visit: (target: number, kind: number) => void): void {
    for (let at = this.#starts[node]!; at < this.#starts[node + 1]!; at++)
      visit(this.#targets[at]!, this.#kinds[at]!);
  }
}
