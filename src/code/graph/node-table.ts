import type { SymbolFact, SymbolKind } from '../parsing/facts.js';

export type NodeKind = 'folder' | 'file' | 'symbol';

export interface CodeNode {
  no: number;
  id: string;
  kind: NodeKind;
  /** Examples: `/`, `src/`, `src/a.ts`, `src/a.ts#Class.method`. */
  path: string;
  symbol: string | null;
  parent: number | null;
  live: boolean;
  blob: string | null;
  symbolKind: SymbolKind | null;
  body: string | null;
  masked: string | null;
  removedCommit: string | null;
  /** The step that removed the node. Later steps have higher numbers. */
  removedStep: number | null;
}

const keyOf = (kind: NodeKind, path: string) => `${kind[1]}${path}`;

/** All nodes of a project, including removed ones, because an id is never reused. */
export class NodeTable {
  readonly nodes = new Map<number, CodeNode>();
  readonly #live: Record<NodeKind, Map<string, CodeNode>> = {
    folder: new Map(),
    file: new Map(),
    symbol: new Map(),
  };
  readonly #dead = new Map<string, CodeNode[]>();
  readonly #children = new Map<number, Set<CodeNode>>();
  readonly #touched = new Set<CodeNode>();
  #nextNo = 1;
  /** Nodes with lower numbers are already stored. */
  #newFrom: number;

  constructor(
    stored: Iterable<CodeNode>,
    readonly newId: () => string,
  ) {
    for (const node of stored) this.#index(node);
    this.#newFrom = this.#nextNo;
  }

  changes(): { created: CodeNode[]; changed: CodeNode[] } {
    const created: CodeNode[] = [];
    const changed: CodeNode[] = [];
    for (const node of this.#touched) (node.no < this.#newFrom ? changed : created).push(node);
    return { created, changed };
  }

  settle(): void {
    this.#touched.clear();
    this.#newFrom = this.#nextNo;
  }

  find(kind: NodeKind, path: string): CodeNode | undefined {
    return this.#live[kind].get(path);
  }

  /** Returns the node that was most recently removed from this path. */
  findRemoved(kind: NodeKind, path: string): CodeNode | undefined {
    if (this.#dead.size === 0) return undefined;
    const candidates = this.#dead.get(keyOf(kind, path)) ?? [];
    return candidates.reduce<CodeNode | undefined>(
      (latest, node) => (latest && (latest.removedStep ?? 0) >= (node.removedStep ?? 0) ? latest : node),
      undefined,
    );
  }

  live(kind: NodeKind): IterableIterator<CodeNode> {
    return this.#live[kind].values();
  }

  get liveCount(): number {
    return this.#live.folder.size + this.#live.file.size + this.#live.symbol.size;
  }

  get liveSymbols(): number {
    return this.#live.symbol.size;
  }

  symbolsOf(file: CodeNode): CodeNode[] {
    const found: CodeNode[] = [];
    const visit = (node: CodeNode) => {
      for (const child of this.#children.get(node.no) ?? []) {
        if (child.kind !== 'symbol' || !child.live) continue;
        found.push(child);
        visit(child);
      }
    };
    visit(file);
    return found;
  }

  create(kind: NodeKind, path: string): CodeNode {
    const node: CodeNode = {
      no: this.#nextNo,
      id: this.newId(),
      kind,
      path,
      symbol: null,
      parent: null,
      live: true,
      blob: null,
      symbolKind: null,
      body: null,
      masked: null,
      removedCommit: null,
      removedStep: null,
    };
    this.#index(node);
    this.#touched.add(node);
    return node;
  }

  remove(node: CodeNode, commit: string, step: number): void {
    if (!node.live) return;
    this.#forget(node);
    node.live = false;
    node.removedCommit = commit;
    node.removedStep = step;
    this.#remember(node);
    this.#touched.add(node);
  }

  revive(node: CodeNode, path: string): void {
    this.#forget(node);
    node.live = true;
    node.path = path;
    node.removedCommit = null;
    node.removedStep = null;
    this.#remember(node);
    this.#touched.add(node);
  }

  /** Removes all old paths before adding new ones, because two files may swap names. */
  move(moves: readonly { node: CodeNode; path: string }[]): void {
    for (const { node } of moves) this.#forget(node);
    for (const { node, path } of moves) {
      node.path = path;
      this.#remember(node);
      this.#touched.add(node);
    }
  }

  describe(node: CodeNode, fact: SymbolFact): void {
    if (
      node.symbol === fact.name &&
      node.body === fact.body &&
      node.masked === fact.masked &&
      node.symbolKind === fact.kind
    )
      return;
    node.symbol = fact.name;
    node.symbolKind = fact.kind;
    node.body = fact.body;
    node.masked = fact.masked;
    this.#touched.add(node);
  }

  setBlob(node: CodeNode, blob: string): void {
    if (node.blob === blob) return;
    node.blob = blob;
    this.#touched.add(node);
  }

  setParent(node: CodeNode, parent: CodeNode | undefined): void {
    const no = parent?.no ?? null;
    if (node.parent === no) return;
    if (node.parent !== null) this.#children.get(node.parent)?.delete(node);
    node.parent = no;
    this.#adopt(node);
    this.#touched.add(node);
  }

  /**
   * Drops the oldest removed nodes beyond `most`, except those still needed, so that the table does not grow
   * without limit.
   */
  forgetRemoved(most: number, isNeeded: (node: CodeNode) => boolean): number[] {
    if (this.nodes.size - this.liveCount <= most) return [];
    const removed = [...this.nodes.values()].filter((node) => !node.live);
    removed.sort((one, other) => (one.removedStep ?? 0) - (other.removedStep ?? 0) || one.no - other.no);
    const forgotten = removed.slice(0, removed.length - most).filter((node) => !isNeeded(node));
    for (const node of forgotten) {
      this.#forget(node);
      this.nodes.delete(node.no);
      this.#touched.delete(node);
      if (node.parent !== null) this.#children.get(node.parent)?.delete(node);
      this.#children.delete(node.no);
    }
    return forgotten.map(({ no }) => no);
  }

  #index(node: CodeNode): void {
    this.nodes.set(node.no, node);
    this.#nextNo = Math.max(this.#nextNo, node.no + 1);
    this.#remember(node);
    this.#adopt(node);
  }

  #adopt(node: CodeNode): void {
    if (node.parent === null) return;
    const children = this.#children.get(node.parent);
    if (children) children.add(node);
    else this.#children.set(node.parent, new Set([node]));
  }

  #remember(node: CodeNode): void {
    if (node.live) this.#live[node.kind].set(node.path, node);
    else {
      const key = keyOf(node.kind, node.path);
      const list = this.#dead.get(key);
      if (list) list.push(node);
      else this.#dead.set(key, [node]);
    }
  }

  #forget(node: CodeNode): void {
    const key = keyOf(node.kind, node.path);
    if (node.live) {
      if (this.find(node.kind, node.path) === node) this.#live[node.kind].delete(node.path);
    } else {
      const others = (this.#dead.get(key) ?? []).filter((other) => other !== node);
      if (others.length > 0) this.#dead.set(key, others);
      else this.#dead.delete(key);
    }
  }
}
