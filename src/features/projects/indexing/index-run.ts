import { advance } from '../../../code/graph/advance.js';
import type { ChangedFile, FileStep } from '../../../code/graph/matching.js';
import { isVendored } from '../../../code/languages.js';
import type { ParserPool } from '../../../code/parsing/parser-pool.js';
import type { Mirror } from '../git/mirror.js';
import { changeTree, type FileChange, listTree, type Tree, type TreeFile } from '../git/tree.js';
import {
  contentOf,
  fitFiles,
  type IndexBounds,
  inOrder,
  isLeftOut,
  leftOutWarning,
  limitSymbols,
  markLeftOut,
  PROJECT_BOUNDS,
  unlinkedWarning,
} from './bounds.js';
import { FactSource, type StoreFacts } from './fact-source.js';
import { compareTrees, findRemovingCommit, type HistoryStep, planSteps } from './history.js';
import type { FollowedRun, IndexState } from './index-state.js';
import { linkFiles } from './link-files.js';

const MAX_PATH_BYTES = 1000;

export interface IndexRunInput {
  mirror: Mirror;
  parsers: ParserPool;
  state: IndexState;
  follower: FollowedRun;
  from: string | null;
  to: string | null;
  stepCount: number;
  report(phase: 'reading' | 'linking' | 'writing', done: number, total: number): Promise<void>;
  /** Facts are valid for their content, so they are stored before the run is done. */
  storeFacts?: StoreFacts;
  bounds?: IndexBounds;
  signal?: AbortSignal;
}

export interface IndexRunOutput {
  files: number;
  nodes: number;
  stepCount: number;
  warnings: string[];
  truncated: boolean;
  forgottenNodes: number[];
  link(): Promise<LinkedEdges>;
  madeFacts: ReadonlyMap<string, string>;
  wantedFacts: ReadonlySet<string>;
  storedFacts: string[];
}

export interface LinkedEdges {
  edges: number;
  changedEdges: [number, Buffer][];
  removedEdges: number[];
  warnings: string[];
  truncated: boolean;
}

/** Stores only facts; `link` of the result adds the edges. */
export async function runIndex(input: IndexRunInput): Promise<IndexRunOutput> {
  const { state, follower, bounds = PROJECT_BOUNDS } = input;
  const storedFacts = [...state.facts.keys()];
  const { facts, factKeys } = state;
  const source = new FactSource(input.mirror, input.parsers, facts, input.storeFacts, factKeys);
  try {
    const { tree, history } = await lookAtCommits(input);
    const warnings = [...tree.warnings];
    const all = ownFiles(tree.files, warnings);
    const { stepCount, files, leftOut, touched } = await takeSteps(input, source, { all, history, bounds });
    await follower.finish(all, state.table, (blob) => source.readText(blob));
    if (leftOut > 0) warnings.push(leftOutWarning(leftOut, bounds));
    const wantedFacts = new Set<string>();
    for (const { path, blob } of files.values()) {
      const key = source.keyOf(path, contentOf(blob));
      if (key !== undefined) wantedFacts.add(key);
    }
    for (const key of facts.keys()) if (!wantedFacts.has(key)) facts.delete(key);
    for (const path of factKeys.keys()) if (!files.has(path)) factKeys.delete(path);
    return {
      files: files.size,
      nodes: state.table.liveCount,
      stepCount,
      warnings,
      truncated: leftOut > 0,
      forgottenNodes: state.table.forgetRemoved(bounds.nodes - bounds.symbols, ({ no }) =>
        follower.isAnchored(no),
      ),
      link: async () => {
        const edges = await linkFiles({ ...input, files: inOrder(files), source, bounds, touched });
        return {
          // Every node except the root has one edge to its parent.
          edges: edges.count + Math.max(0, state.table.liveCount - 1),
          changedEdges: edges.changed,
          removedEdges: edges.removed,
          warnings: edges.unlinked > 0 ? [unlinkedWarning(edges.unlinked)] : [],
          truncated: edges.unlinked > 0,
        };
      },
      madeFacts: source.made,
      wantedFacts,
      storedFacts: [...storedFacts, ...source.stored],
    };
  } finally {
    source.close();
  }
}

interface Commits {
  tree: Tree;
  history: HistoryStep[] | undefined;
}

async function lookAtCommits({ mirror, state, from, to }: IndexRunInput): Promise<Commits> {
  if (to === null) return { tree: { files: new Map(), warnings: [] }, history: [] };
  const known = state.tree?.commit === from ? state.tree : undefined;
  const [history, listed] = await Promise.all([
    planSteps(mirror, from, to),
    known ? undefined : listTree(mirror, to),
    mirror.keepIndexed(to),
  ]);
  const tree =
    listed ??
    (known && history?.isWhole ? await changeTree(mirror, known, history.steps) : await listTree(mirror, to));
  state.tree = { ...tree, commit: to };
  return { tree, history: history?.steps };
}

export function isOwn(path: string): boolean {
  return !isVendored(path) && Buffer.byteLength(path) <= MAX_PATH_BYTES;
}

function ownFiles(all: ReadonlyMap<string, TreeFile>, warnings: string[]): Map<string, TreeFile> {
  const files = new Map([...all].filter(([path]) => isOwn(path)));
  const tooLong = [...all.keys()].filter((path) => !isVendored(path) && !isOwn(path)).length;
  if (tooLong > 0)
    warnings.push(`${tooLong} files were left out: their paths are longer than ${MAX_PATH_BYTES} bytes`);
  return files;
}

async function takeSteps(
  input: IndexRunInput,
  source: FactSource,
  {
    all,
    history,
    bounds,
  }: { all: ReadonlyMap<string, TreeFile>; bounds: IndexBounds } & Pick<Commits, 'history'>,
): Promise<{ stepCount: number; files: Map<string, TreeFile>; leftOut: number; touched: Set<string> }> {
  const { mirror, state, follower, from, to, signal } = input;
  const { table } = state;
  const commit = to ?? from ?? '';
  const planned = history ?? [{ commit, changes: compareTrees(table.live('file'), all), since: null }];
  const readText = (blob: string) => source.readText(blob);
  let stepCount = input.stepCount;
  const needed = [
    ...inOrder(all),
    ...planned.flatMap((step) => step.changes.filter(({ blob, path }) => blob && isOwn(path))),
  ];
  await source.prepare(needed, (done, total) => input.report('reading', done, total), { bounds, signal });
  const { files, leftOut } = fitFiles(
    all,
    (path, blob) => source.get(path, blob) ?? (source.isUnread(path, blob) ? 'unread' : undefined),
    bounds,
  );
  for (const step of planned) {
    signal?.throwIfAborted();
    const outcome = advance(table, {
      ...asFileStep(step.changes, source, { files, fits: limitSymbols(table, bounds) }),
      commit: step.commit,
      number: ++stepCount,
    });
    if (step.since !== null) {
      for (const node of outcome.removed) {
        if (follower.isAnchored(node.no))
          node.removedCommit = await findRemovingCommit(mirror, source, node, step.since, step.commit);
      }
    }
    await follower.step({ commit: step.commit, changes: step.changes, outcome, table, readText });
  }
  // The nodes must match the final tree, even if the history is incomplete.
  const rest = compareTrees(table.live('file'), files);
  if (rest.length > 0) {
    const limits = { files, fits: limitSymbols(table, bounds) };
    const outcome = advance(table, { ...asFileStep(rest, source, limits), commit, number: ++stepCount });
    const changes = rest.map((change) => ({ ...change, blob: contentOf(change.blob) }));
    await follower.step({ commit, changes, outcome, table, readText });
  }
  const touched = new Set(
    [...planned.flatMap(({ changes }) => changes), ...rest].flatMap(({ path, from: old }) =>
      old === undefined ? [path] : [path, old],
    ),
  );
  return { stepCount, files, leftOut, touched };
}

/** Files of the final commit were checked by `fitFiles`; files of earlier commits must fit now. */
interface Limits {
  files: ReadonlyMap<string, { blob: string }>;
  fits(symbols: number): boolean;
}

export function asFileStep(changes: readonly FileChange[], source: FactSource, limits: Limits): FileStep {
  const files: ChangedFile[] = [];
  const removed: string[] = [];
  const renames = new Map<string, string>();
  for (const { status, path, from, blob } of changes) {
    if (status === 'renamed' && from !== undefined && isOwn(from)) {
      removed.push(from);
      if (isOwn(path)) renames.set(path, from);
    }
    if (!isOwn(path)) continue;
    if (status === 'removed') removed.push(path);
    else files.push(asChangedFile(path, contentOf(blob), source, limits));
  }
  return { files, removed, renames };
}

function asChangedFile(path: string, blob: string, source: FactSource, limits: Limits): ChangedFile {
  const symbols = source.get(path, blob)?.symbols ?? [];
  const judged = limits.files.get(path)?.blob;
  const isIn =
    judged !== undefined && contentOf(judged) === blob
      ? !isLeftOut(judged)
      : !source.isUnread(path, blob) && limits.fits(symbols.length);
  return isIn ? { path, blob, symbols } : { path, blob: markLeftOut(blob), symbols: [] };
}
