import type { NodeTable } from '../../../code/graph/node-table.js';
import type { FileFacts } from '../../../code/parsing/facts.js';
import type { TreeFile } from '../git/tree.js';

/** Limits for one project. Files beyond them are listed without symbols. */
export interface IndexBounds {
  symbols: number;
  references: number;
  bytes: number;
  /** Includes removed nodes, which are kept in case they reappear. */
  nodes: number;
  /** For parsing, and again for linking. */
  milliseconds: number;
  steps: number;
}

export const PROJECT_BOUNDS: IndexBounds = {
  symbols: 500_000,
  references: 4_000_000,
  bytes: 512 * 1024 ** 2,
  nodes: 1_500_000,
  milliseconds: 5 * 60_000,
  steps: 1_000_000_000,
};

/** Smaller, because a caller waits and two comparisons may run at once. */
export const COMPARISON_BOUNDS: IndexBounds = { ...PROJECT_BOUNDS, symbols: 200_000, bytes: 128 * 1024 ** 2 };

/** Suffix of the blob id of a file that was listed without its symbols. */
const LEFT_OUT = '-';

export const markLeftOut = (blob: string): string => `${blob}${LEFT_OUT}`;
export const isLeftOut = (blob: string): boolean => blob.endsWith(LEFT_OUT);
export const contentOf = (blob: string): string => (isLeftOut(blob) ? blob.slice(0, -1) : blob);

type FactsOf = (path: string, blob: string) => FileFacts | 'unread' | undefined;

/** Depends only on the files: distinct contents come first in path order, copies follow. */
export function fitFiles(
  files: ReadonlyMap<string, TreeFile>,
  factsOf: FactsOf,
  bounds: IndexBounds,
): { files: Map<string, TreeFile>; leftOut: number } {
  const fitted = new Map<string, TreeFile>();
  const seen = new Set<string>();
  const copies: TreeFile[] = [];
  const left = { symbols: bounds.symbols, references: bounds.references };
  let leftOut = 0;
  const admit = (file: TreeFile) => {
    const facts = factsOf(file.path, file.blob);
    const isRead = facts !== 'unread';
    const [symbols, references] = isRead && facts ? [facts.symbols.length, referencesOf(facts)] : [0, 0];
    if (isRead && symbols <= left.symbols && references <= left.references) {
      left.symbols -= symbols;
      left.references -= references;
      fitted.set(file.path, file);
    } else {
      leftOut++;
      fitted.set(file.path, { ...file, blob: markLeftOut(file.blob) });
    }
  };
  for (const file of inOrder(files)) {
    if (seen.has(file.blob)) copies.push(file);
    else {
      seen.add(file.blob);
      admit(file);
    }
  }
  for (const file of copies) admit(file);
  return { files: fitted, leftOut };
}

export function inOrder<T extends { path: string }>(files: ReadonlyMap<string, T>): T[] {
  return [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

function referencesOf({ calls, imports, exports, uses }: FileFacts): number {
  let count = calls.length + exports.length + uses.length;
  for (const { names, reexports } of imports) count += 1 + names.length + (reexports?.length ?? 0);
  return count;
}

export function limitSymbols(table: NodeTable, bounds: IndexBounds): (symbols: number) => boolean {
  let symbols = Math.min(bounds.symbols - table.liveSymbols, bounds.nodes - table.nodes.size);
  return (more) => {
    if (more > symbols) return false;
    symbols -= more;
    return true;
  };
}

export function leftOutWarning(count: number, bounds: IndexBounds): string {
  const files = count === 1 ? '1 file is' : `${count} files are`;
  return `The repository is larger than what is read of one (${bounds.symbols} symbols, ${Math.round(bounds.bytes / 1024 ** 2)} MB of sources, ${Math.round(bounds.milliseconds / 60_000)} minutes): ${files} listed without symbols and links`;
}

export const unlinkedWarning = (count: number): string =>
  `Linking takes more steps than it may: ${count === 1 ? '1 file lacks' : `${count} files lack`} some of the links`;
