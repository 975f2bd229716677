import {
  type ChangedFile,
  type FileStep,
  foldersAbove,
  matchFiles,
  matchFolders,
  matchSymbols,
  type NewSymbol,
  type OldSymbol,
} from './matching.js';
import type { CodeNode, NodeTable } from './node-table.js';

export interface Step extends FileStep {
  commit: string;
  number: number;
}

export interface StepOutcome {
  moved: { node: CodeNode; from: string }[];
  removed: CodeNode[];
  revived: CodeNode[];
}

export function advance(table: NodeTable, step: Step): StepOutcome {
  return new Advance(table, step).run();
}

class Advance {
  readonly #outcome: StepOutcome = { moved: [], removed: [], revived: [] };
  readonly #before = new Map<CodeNode, string>();

  constructor(
    readonly table: NodeTable,
    readonly step: Step,
  ) {}

  run(): StepOutcome {
    const { table, step } = this;
    const known = matchFiles(table, step);
    const kept = new Set(known.values());
    const goneFiles = step.removed
      .flatMap((path) => table.find('file', path) ?? [])
      .filter((node) => !kept.has(node));
    const oldSymbols = [...kept, ...goneFiles].flatMap((file) => this.#symbolsOf(file));
    const fileSetChanged =
      goneFiles.length > 0 || step.files.some((file) => known.get(file)?.path !== file.path);

    const fresh = step.files.flatMap((file) => newSymbols(file, known.get(file)));
    const matches = matchSymbols(fresh, oldSymbols);
    this.#retire(goneFiles, oldSymbols, new Set(matches.values()));
    this.#moveAll(known, matches);
    const files = new Map(
      step.files.map((file) => [file, known.get(file) ?? this.#arrive('file', file.path)]),
    );
    for (const [file, node] of files) table.setBlob(node, file.blob);
    const folderMoves = [...known].flatMap(([file, node]) => {
      const from = this.#before.get(node);
      return from === undefined ? [] : [{ from, to: file.path }];
    });
    if (fileSetChanged) this.#folders(folderMoves);
    for (const [file, node] of files)
      table.setParent(node, table.find('folder', foldersAbove(file.path)[0]!));
    this.#symbols(files, fresh, matches);
    return this.#outcome;
  }

  #symbolsOf(file: CodeNode): OldSymbol[] {
    return this.table.symbolsOf(file).map((node) => {
      const parent = this.table.nodes.get(node.parent!);
      return { node, file, parent: parent?.kind === 'symbol' ? parent : undefined };
    });
  }

  #retire(files: readonly CodeNode[], symbols: readonly OldSymbol[], kept: ReadonlySet<CodeNode>): void {
    for (const node of [...symbols.map((symbol) => symbol.node).filter((node) => !kept.has(node)), ...files])
      this.#remove(node);
  }

  #remove(node: CodeNode): void {
    this.table.remove(node, this.step.commit, this.step.number);
    this.#outcome.removed.push(node);
  }

  #moveAll(files: ReadonlyMap<ChangedFile, CodeNode>, symbols: ReadonlyMap<NewSymbol, CodeNode>): void {
    const targets = [
      ...[...files].map(([file, node]) => ({ node, path: file.path })),
      ...[...symbols].map(([symbol, node]) => ({ node, path: symbol.path })),
    ].filter(({ node, path }) => node.path !== path);
    for (const { node } of targets) {
      this.#before.set(node, node.path);
      this.#outcome.moved.push({ node, from: node.path });
    }
    this.table.move(targets);
  }

  /** Revives the node that was removed from this path, or creates a new one. */
  #arrive(kind: CodeNode['kind'], path: string): CodeNode {
    const former = this.table.findRemoved(kind, path);
    if (!former) return this.table.create(kind, path);
    this.table.revive(former, path);
    this.#outcome.revived.push(former);
    return former;
  }

  #folders(fileMoves: readonly { from: string; to: string }[]): void {
    const needed = new Set<string>();
    for (const file of this.table.live('file')) {
      for (const folder of foldersAbove(file.path)) {
        if (needed.has(folder)) break;
        needed.add(folder);
      }
      if (needed.size === 0) needed.add('/');
    }
    if (needed.size > 0) needed.add('/');
    const vanished = new Map(
      [...this.table.live('folder')]
        .filter((node) => !needed.has(node.path))
        .map((node) => [node.path, node]),
    );
    const appeared = new Set([...needed].filter((path) => !this.table.find('folder', path)));
    const matches = matchFolders(new Set(vanished.keys()), appeared, fileMoves);
    const moves = [...matches].map(([path, old]) => ({ node: vanished.get(old)!, path }));
    for (const { node } of moves) {
      vanished.delete(node.path);
      this.#outcome.moved.push({ node, from: node.path });
    }
    this.table.move(moves);
    for (const node of vanished.values()) this.#remove(node);
    for (const path of appeared) if (!matches.has(path)) this.#arrive('folder', path);
    this.#adoptFolders(appeared);
  }

  #adoptFolders(appeared: ReadonlySet<string>): void {
    for (const node of this.table.live('folder')) {
      const parent = node.path === '/' ? undefined : foldersAbove(node.path)[0]!;
      if (parent === undefined || appeared.has(node.path) || appeared.has(parent) || node.parent === null)
        this.table.setParent(node, parent === undefined ? undefined : this.table.find('folder', parent));
    }
    if (appeared.size === 0) return;
    for (const file of this.table.live('file')) {
      const folder = foldersAbove(file.path)[0]!;
      if (appeared.has(folder)) this.table.setParent(file, this.table.find('folder', folder));
    }
  }

  #symbols(
    files: ReadonlyMap<ChangedFile, CodeNode>,
    fresh: readonly NewSymbol[],
    matches: ReadonlyMap<NewSymbol, CodeNode>,
  ): void {
    const nodes = new Map<NewSymbol, CodeNode>();
    for (const symbol of fresh) {
      const node = matches.get(symbol) ?? this.#arrive('symbol', symbol.path);
      nodes.set(symbol, node);
      this.table.describe(node, symbol.fact);
      this.table.setParent(node, symbol.parent ? nodes.get(symbol.parent)! : files.get(symbol.of)!);
    }
  }
}

function newSymbols(file: ChangedFile, known: CodeNode | undefined): NewSymbol[] {
  const byName = new Map<string, NewSymbol>();
  const depths = file.symbols.map((fact) => ({ fact, depth: fact.name.split('.').length }));
  depths.sort((one, other) => one.depth - other.depth);
  for (const { fact } of depths) {
    const cut = fact.name.lastIndexOf('.');
    const parent = cut < 0 ? undefined : byName.get(fact.name.slice(0, cut));
    byName.set(fact.name, {
      fact,
      of: file,
      file: known,
      parent,
      depth: (parent?.depth ?? 0) + 1,
      path: `${file.path}#${fact.name}`,
    });
  }
  return [...byName.values()];
}
