import type { SymbolFact } from '../parsing/facts.js';
import { type ChangedFile, groupBy } from './match-files.js';
import type { CodeNode } from './node-table.js';

export interface NewSymbol {
  fact: SymbolFact;
  of: ChangedFile;
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
  // A first pass has hundreds of thousands of new ones and nothing that they could be.
  if (old.length === 0) return new Map();
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

/** Old symbols by a key, read many times while more and more of them are taken. */
class Candidates {
  readonly #groups: Map<string, CodeNode[]>;

  constructor(
    old: Iterable<OldSymbol>,
    key: (known: OldSymbol) => string,
    readonly taken: ReadonlySet<CodeNode>,
  ) {
    this.#groups = new Map();
    for (const known of old) {
      const group = this.#groups.get(key(known));
      if (group) group.push(known.node);
      else this.#groups.set(key(known), [known.node]);
    }
  }

  /** The one that is left; undefined when there is none, or more. */
  only(key: string): CodeNode | undefined {
    const group = this.#groups.get(key);
    if (!group) return undefined;
    // What was taken is passed over once, not at every question.
    while (group.length > 0 && this.taken.has(group.at(-1)!)) group.pop();
    let found: CodeNode | undefined;
    for (let at = group.length - 1; at >= 0; at--) {
      if (this.taken.has(group[at]!)) continue;
      if (found) return undefined;
      found = group[at];
    }
    return found;
  }
}

/** Every look goes over what it concerns once, however deep symbols are nested and however many are alike. */
class SymbolMatching {
  readonly matches = new Map<NewSymbol, CodeNode>();
  readonly #taken = new Set<CodeNode>();
  readonly #byDepth: NewSymbol[][] = [];
  readonly #children: Candidates;

  constructor(
    readonly fresh: readonly NewSymbol[],
    readonly old: readonly OldSymbol[],
  ) {
    for (const symbol of fresh) {
      this.#byDepth[symbol.depth - 1] ??= [];
      this.#byDepth[symbol.depth - 1]!.push(symbol);
    }
    this.#children = new Candidates(
      old.filter(({ parent }) => parent),
      ({ node, parent }) => `${parent!.no} ${simpleName(node.symbol!)}`,
      this.#taken,
    );
  }

  /** Outer symbols first: what is inside a recognised class follows it before it is looked for elsewhere. */
  byDepth(freshKey: (symbol: NewSymbol) => string | undefined, oldKey: (known: OldSymbol) => string): void {
    const known = new Candidates(this.#left(), oldKey, this.#taken);
    for (const level of this.#byDepth) {
      this.#followParents(level);
      this.#matchOnly(level, freshKey, known);
    }
    for (const level of this.#byDepth.slice(1)) this.#followParents(level);
  }

  unique(freshKey: (symbol: NewSymbol) => string | undefined, oldKey: (known: OldSymbol) => string): void {
    this.#matchOnly(this.fresh, freshKey, new Candidates(this.#left(), oldKey, this.#taken));
  }

  #left(): OldSymbol[] {
    return this.old.filter(({ node }) => !this.#taken.has(node));
  }

  #matchOnly(
    symbols: readonly NewSymbol[] = [],
    freshKey: (symbol: NewSymbol) => string | undefined,
    known: Candidates,
  ): void {
    const open = symbols.filter((symbol) => !this.matches.has(symbol));
    for (const [key, [symbol, ...more]] of groupBy(open, (each) => freshKey(each) ?? '')) {
      const node = key === '' || more.length > 0 ? undefined : known.only(key);
      if (node) this.#match(symbol!, node);
    }
  }

  #followParents(symbols: readonly NewSymbol[] = []): void {
    for (const symbol of symbols) {
      const parent = symbol.parent && !this.matches.has(symbol) ? this.matches.get(symbol.parent) : undefined;
      const node = parent && this.#children.only(`${parent.no} ${simpleName(symbol.fact.name)}`);
      if (node) this.#match(symbol, node);
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
