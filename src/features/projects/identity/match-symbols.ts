import type { SymbolFact } from '../parsing/facts.js';
import { groupBy } from './match-files.js';
import type { CodeNode } from './node-table.js';

export interface NewSymbol {
  fact: SymbolFact;
  /** The known file it is in, undefined in a new one. */
  file: CodeNode | undefined;
  /** The symbol around it. */
  parent: NewSymbol | undefined;
  depth: number;
  path: string;
}

export interface OldSymbol {
  node: CodeNode;
  file: CodeNode;
  parent: CodeNode | undefined;
}

/** Tokens below which a body says too little: a new function with the same few is no renamed one. */
const SMALLEST_RECOGNISABLE = 20;

/**
 * Which known symbol each new one is. Same file and name; same file, same body under another name; another file, same name and
 * body. Only matches that are the only one on both sides count.
 */
export function matchSymbols(
  fresh: readonly NewSymbol[],
  old: readonly OldSymbol[],
): Map<NewSymbol, CodeNode> {
  const matching = new SymbolMatching(fresh, old);
  matching.unique(
    (symbol) => (symbol.file ? `${symbol.file.no} ${symbol.fact.name}` : undefined),
    (known) => `${known.file.no} ${known.node.symbol}`,
  );
  matching.byDepth(
    (symbol) =>
      symbol.file && symbol.fact.size >= SMALLEST_RECOGNISABLE
        ? `${symbol.file.no} ${symbol.fact.kind} ${symbol.fact.masked}`
        : undefined,
    (known) => `${known.file.no} ${known.node.symbolKind} ${known.node.masked}`,
  );
  matching.byDepth(
    (symbol) => `${symbol.fact.name} ${symbol.fact.body}`,
    (known) => `${known.node.symbol} ${known.node.body}`,
  );
  return matching.matches;
}

class SymbolMatching {
  readonly matches = new Map<NewSymbol, CodeNode>();
  readonly #taken = new Set<CodeNode>();
  readonly #deepest: number;

  constructor(
    readonly fresh: readonly NewSymbol[],
    readonly old: readonly OldSymbol[],
  ) {
    this.#deepest = fresh.reduce((deepest, symbol) => Math.max(deepest, symbol.depth), 0);
  }

  /** Outer symbols first: what is inside a recognised class follows it before it is looked for elsewhere. */
  byDepth(freshKey: (symbol: NewSymbol) => string | undefined, oldKey: (known: OldSymbol) => string): void {
    for (let depth = 1; depth <= this.#deepest; depth++) {
      this.#followParents(depth);
      this.unique(freshKey, oldKey, depth);
    }
    for (let depth = 2; depth <= this.#deepest; depth++) this.#followParents(depth);
  }

  unique(
    freshKey: (symbol: NewSymbol) => string | undefined,
    oldKey: (known: OldSymbol) => string,
    depth?: number,
  ): void {
    const open = this.fresh.filter(
      (symbol) => !this.matches.has(symbol) && (depth === undefined || symbol.depth === depth),
    );
    if (open.length === 0) return;
    const known = groupBy(
      this.old.filter(({ node }) => !this.#taken.has(node)),
      oldKey,
    );
    for (const [key, symbols] of groupBy(open, (symbol) => freshKey(symbol) ?? '')) {
      const candidates = known.get(key) ?? [];
      if (key !== '' && symbols.length === 1 && candidates.length === 1)
        this.#match(symbols[0]!, candidates[0]!.node);
    }
  }

  #followParents(depth: number): void {
    const children = groupBy(
      this.old.filter(({ node, parent }) => parent && !this.#taken.has(node)),
      ({ node, parent }) => `${parent!.no} ${simpleName(node.symbol!)}`,
    );
    for (const symbol of this.fresh) {
      const parent =
        symbol.depth === depth && symbol.parent && !this.matches.has(symbol)
          ? this.matches.get(symbol.parent)
          : undefined;
      const candidates = parent ? (children.get(`${parent.no} ${simpleName(symbol.fact.name)}`) ?? []) : [];
      if (candidates.length === 1 && !this.#taken.has(candidates[0]!.node))
        this.#match(symbol, candidates[0]!.node);
    }
  }

  #match(symbol: NewSymbol, node: CodeNode): void {
    this.matches.set(symbol, node);
    this.#taken.add(node);
  }
}

function simpleName(dotted: string): string {
  return dotted.slice(dotted.lastIndexOf('.') + 1);
}
