import type { SymbolFact } from '../parsing/facts.js';
import type { CodeNode, NodeTable } from './node-table.js';

export interface ChangedFile {
  path: string;
  blob: string;
  symbols: readonly SymbolFact[];
}

export interface FileStep {
  files: readonly ChangedFile[];
  removed: readonly string[];
  /** New path to old path, as git reports renames. */
  renames: ReadonlyMap<string, string>;
}

/**
 * Content that occurs in more removed files than this is not matched, to avoid comparing many copies with
 * each other.
 */
const MOST_HOLDERS = 25;
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

/** Matches by path, then by git's renames, then by equal content, then by the most common symbols. */
export function matchFiles(table: NodeTable, step: FileStep): Map<ChangedFile, CodeNode> {
  const matches = new Map<ChangedFile, CodeNode>();
  const gone = new Map<string, CodeNode>();
  for (const path of step.removed) {
    const node = table.find('file', path);
    if (node) gone.set(path, node);
  }
  const added: ChangedFile[] = [];
  for (const file of step.files) {
    const same = gone.has(file.path) ? undefined : table.find('file', file.path);
    if (same) matches.set(file, same);
    else added.push(file);
  }
  const take = (file: ChangedFile, node: CodeNode) => {
    matches.set(file, node);
    gone.delete(node.path);
  };
  for (const file of added) {
    const old = gone.get(step.renames.get(file.path) ?? '');
    if (old) take(file, old);
  }
  const unmatched = () => added.filter((file) => !matches.has(file));
  for (const [file, node] of equalContents(unmatched(), [...gone.values()])) take(file, node);
  for (const [file, node] of sharedSymbols(table, unmatched(), [...gone.values()])) take(file, node);
  return matches;
}

function equalContents(files: readonly ChangedFile[], nodes: readonly CodeNode[]): [ChangedFile, CodeNode][] {
  const filesByBlob = groupBy(files, (file) => file.blob);
  const nodesByBlob = groupBy(nodes, (node) => node.blob ?? '');
  return [...filesByBlob].flatMap(([blob, [file, ...more]]): [ChangedFile, CodeNode][] => {
    const candidates = nodesByBlob.get(blob) ?? [];
    return blob !== EMPTY_BLOB && more.length === 0 && candidates.length === 1
      ? [[file!, candidates[0]!]]
      : [];
  });
}

/** Pairs files that match each other best and share at least half of their symbols. */
function sharedSymbols(
  table: NodeTable,
  files: readonly ChangedFile[],
  nodes: readonly CodeNode[],
): [ChangedFile, CodeNode][] {
  const holders = new Map<string, CodeNode[]>();
  const sizes = new Map<CodeNode, number>();
  for (const node of nodes) {
    const symbols = table.symbolsOf(node);
    sizes.set(node, symbols.length);
    for (const symbol of symbols) append(holders, `${symbol.symbol} ${symbol.body}`, node);
  }
  const best = new Map<ChangedFile, CodeNode>();
  const bestOfNode = new Map<CodeNode, { file: ChangedFile; count: number; tied: boolean }>();
  for (const file of files) {
    const counts = new Map<CodeNode, number>();
    for (const symbol of file.symbols) {
      const alike = holders.get(`${symbol.name} ${symbol.body}`) ?? [];
      if (alike.length > MOST_HOLDERS) continue;
      for (const node of alike) counts.set(node, (counts.get(node) ?? 0) + 1);
    }
    const ranked = [...counts].sort(([, one], [, other]) => other - one);
    const [top, second] = ranked;
    if (!top || (second && second[1] === top[1])) continue;
    const [node, count] = top;
    if (count * 2 < Math.max(file.symbols.length, sizes.get(node)!)) continue;
    best.set(file, node);
    const known = bestOfNode.get(node);
    if (!known || known.count < count) bestOfNode.set(node, { file, count, tied: false });
    else if (known.count === count) known.tied = true;
  }
  return [...best].filter(
    ([file, node]) => bestOfNode.get(node)!.file === file && !bestOfNode.get(node)!.tied,
  );
}

export function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) append(groups, key(item), item);
  return groups;
}

function append<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

/** Returns the folders above a file, nearest first and the root last. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (
    let slash = path.lastIndexOf('/', path.length - 2);
    slash >= 0;
    slash = path.lastIndexOf('/', slash - 1)
  ) {
    folders.push(path.slice(0, slash + 1));
    if (slash === 0) break;
  }
  folders.push('/');
  return folders;
}

/**
 * Pairs an old folder with the new folder that most of its files moved to, if the reverse also holds.
 * `src/a/x.ts → lib/a/x.ts` votes for `src/a/ → lib/a/` and `src/ → lib/`.
 */
export function matchFolders(
  vanished: ReadonlySet<string>,
  appeared: ReadonlySet<string>,
  fileMoves: readonly { from: string; to: string }[],
): Map<string, string> {
  const votes = new Map<string, Map<string, number>>();
  for (const { from, to } of fileMoves) {
    for (const [old, fresh] of parallelFolders(from, to)) {
      if (!vanished.has(old) || !appeared.has(fresh)) continue;
      const tally = votes.get(old) ?? new Map<string, number>();
      votes.set(old, tally.set(fresh, (tally.get(fresh) ?? 0) + 1));
    }
  }
  const winners = new Map([...votes].flatMap(([old, tally]) => winnerOf(old, tally)));
  const claims = new Map<string, { old: string; votes: number; tied: boolean }>();
  for (const [old, fresh] of winners) {
    const count = votes.get(old)!.get(fresh)!;
    const known = claims.get(fresh);
    if (!known || known.votes < count) claims.set(fresh, { old, votes: count, tied: false });
    else if (known.votes === count) known.tied = true;
  }
  return new Map(
    [...claims].flatMap(([fresh, { old, tied }]): [string, string][] => (tied ? [] : [[fresh, old]])),
  );
}

function winnerOf(old: string, tally: ReadonlyMap<string, number>): [string, string][] {
  const [first, second] = [...tally].sort(([, one], [, other]) => other - one);
  return first && first[1] !== second?.[1] ? [[old, first[0]]] : [];
}

function parallelFolders(from: string, to: string): [string, string][] {
  const old = foldersAbove(from);
  const fresh = foldersAbove(to);
  const pairs: [string, string][] = [];
  for (let level = 0; level < Math.min(old.length, fresh.length) - 1; level++) {
    pairs.push([old[level]!, fresh[level]!]);
    if (lastPart(old[level]!) !== lastPart(fresh[level]!)) break;
  }
  return pairs;
}

function lastPart(folder: string): string {
  return folder.slice(folder.lastIndexOf('/', folder.length - 2) + 1);
}

export interface NewSymbol {
  fact: SymbolFact;
  of: ChangedFile;
  file: CodeNode | undefined;
  parent: NewSymbol | undefined;
  depth: number;
  path: string;
}

export interface OldSymbol {
  node: CodeNode;
  file: CodeNode;
  parent: CodeNode | undefined;
}

/** Smaller function bodies are too common to identify a renamed function. */
const SMALLEST_RECOGNISABLE = 20;

/**
 * Matches by file and name, then by file and body, then by name and body in other files. Ambiguous matches
 * are ignored.
 */
export function matchSymbols(
  fresh: readonly NewSymbol[],
  old: readonly OldSymbol[],
): Map<NewSymbol, CodeNode> {
  // The first index run has hundreds of thousands of new symbols and nothing to match them with.
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

/** Old symbols grouped by a key, without the ones already matched. */
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

  /** Returns the only symbol left in the group. */
  only(key: string): CodeNode | undefined {
    const group = this.#groups.get(key);
    if (!group) return undefined;
    // Removes matched symbols permanently, so that each is skipped only once.
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

/** Every pass is linear, regardless of nesting depth and of how many symbols are alike. */
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

  /**
   * Matches outer symbols first, so that members of a matched class are matched with it before other files
   * are tried.
   */
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
