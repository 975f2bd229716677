import type { SymbolFact } from '../parsing/facts.js';
import type { CodeNode, NodeTable } from './node-table.js';

/** A file as it is after the step. */
export interface ChangedFile {
  path: string;
  blob: string;
  symbols: readonly SymbolFact[];
}

export interface FileStep {
  files: readonly ChangedFile[];
  /** Paths that are no files any more, the old ones of renames included. */
  removed: readonly string[];
  /** New path → old path, as git sees it. */
  renames: ReadonlyMap<string, string>;
}

/** What stands in more files that went tells none of them: copies of copies would be compared each with each. */
const MOST_HOLDERS = 25;
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

/** Which known file each changed file is: same path, git's rename, equal content, most symbols shared. */
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

/** Mutual best partners that have at least half of their symbols in common. */
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
