import type { Mirror } from '../git/mirror.js';
import { type FileChange, listTree, type TreeFile } from '../git/tree.js';
import { advance } from '../identity/advance.js';
import type { ChangedFile, FileStep } from '../identity/match-files.js';
import type { NodeTable } from '../identity/node-table.js';
import { type CodeBase, fileOf, fileRef, type Ref, symbolOf } from '../linking/code-base.js';
import { linkFiles } from '../linking/linker.js';
import { isVendored, languageOf, MAX_PATH_BYTES } from '../parsing/languages.js';
import type { ParserPool } from '../parsing/parser-pool.js';
import { FactSource, factKey } from './fact-source.js';
import { compareTrees, planSteps } from './history.js';
import type { FollowingPass } from './index-follower.js';
import type { IndexState } from './index-state.js';
import { packEdges } from './packed-edges.js';
import { findRemovingCommit } from './removal.js';

export interface PassInput {
  mirror: Mirror;
  parsers: ParserPool;
  state: IndexState;
  follower: FollowingPass;
  from: string | null;
  /** null: the repository holds nothing. */
  to: string | null;
  stepCount: number;
  report(phase: 'reading' | 'linking' | 'writing', done: number, total: number): Promise<void>;
  signal?: AbortSignal;
}

export interface PassOutput {
  files: number;
  nodes: number;
  edges: number;
  stepCount: number;
  warnings: string[];
  changedEdges: [number, Buffer][];
  removedEdges: number[];
  madeFacts: ReadonlyMap<string, string>;
  wantedFacts: ReadonlySet<string>;
  storedFacts: string[];
}

/** Brings a project's state from one commit to another; the state is changed in memory, nothing is stored yet. */
export async function runIndexPass(input: PassInput): Promise<PassOutput> {
  const { state } = input;
  const storedFacts = [...state.facts.keys()];
  const source = new FactSource(input.mirror, input.parsers, state.facts);
  try {
    const tree =
      input.to === null
        ? { files: new Map<string, TreeFile>(), warnings: [] }
        : await listTree(input.mirror, input.to);
    const warnings = [...tree.warnings];
    const files = ownFiles(tree.files, warnings);
    const stepCount = await takeSteps(input, source, files);
    await input.follower.finish(files, state.table, (blob) => source.readText(blob));
    await input.report('linking', 0, 1);
    const edges = linkAll(state, files, source);
    const wantedFacts = new Set([...files.values()].flatMap(({ path, blob }) => factKey(path, blob) ?? []));
    for (const key of [...state.facts.keys()]) if (!wantedFacts.has(key)) state.facts.delete(key);
    return {
      files: files.size,
      nodes: state.table.liveCount,
      // Everything but the root is contained in something.
      edges: edges.count + Math.max(0, state.table.liveCount - 1),
      stepCount,
      warnings,
      changedEdges: edges.changed,
      removedEdges: edges.removed,
      madeFacts: source.made,
      wantedFacts,
      storedFacts,
    };
  } finally {
    source.close();
  }
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
  input: PassInput,
  source: FactSource,
  files: ReadonlyMap<string, TreeFile>,
): Promise<number> {
  const { mirror, state, follower, from, to } = input;
  const { table } = state;
  const commit = to ?? from ?? '';
  const planned = to === null ? [] : await planSteps(mirror, from, to, files, table.live('file'));
  const readText = (blob: string) => source.readText(blob);
  let stepCount = input.stepCount;
  const needed = [
    ...files.values(),
    ...planned.flatMap((step) => step.changes.filter(({ blob, path }) => blob && isOwn(path))),
  ];
  await source.prepare(needed, (done, total) => input.report('reading', done, total), input.signal);
  for (const step of planned) {
    input.signal?.throwIfAborted();
    const outcome = advance(table, {
      ...asFileStep(step.changes, source),
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
  // Whatever the history said: in the end the nodes are those of the tree.
  const rest = compareTrees(table.live('file'), files);
  if (rest.length > 0) {
    const outcome = advance(table, { ...asFileStep(rest, source), commit, number: ++stepCount });
    await follower.step({ commit, changes: rest, outcome, table, readText });
  }
  return stepCount;
}

export function asFileStep(changes: readonly FileChange[], source: FactSource): FileStep {
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
    else files.push({ path, blob, symbols: source.get(path, blob)?.symbols ?? [] });
  }
  return { files, removed, renames };
}

function linkAll(state: IndexState, files: ReadonlyMap<string, TreeFile>, source: FactSource) {
  const ordered = [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  const { code, links } = linkFiles(
    ordered.map(({ path, blob }) => ({ path, language: languageOf(path), facts: source.get(path, blob) })),
  );
  const numberOf = nodeNumbers(state.table, code);
  const changed: [number, Buffer][] = [];
  const present = new Set<number>();
  let count = 0;
  links.forEach((leaving, file) => {
    if (leaving.length === 0) return;
    count += leaving.length;
    const no = numberOf(fileRef(file));
    present.add(no);
    const packed = packEdges(
      leaving.map((link) => ({
        source: numberOf(link.source),
        target: numberOf(link.target),
        kind: link.kind,
      })),
    );
    if (state.edges.get(no)?.equals(packed)) return;
    state.edges.set(no, packed);
    changed.push([no, packed]);
  });
  const removed = [...state.edges.keys()].filter((no) => !present.has(no));
  for (const no of removed) state.edges.delete(no);
  return { changed, removed, count };
}

/** The node of a file or symbol; most are asked for many times. */
function nodeNumbers(table: NodeTable, code: CodeBase): (ref: Ref) => number {
  const known = new Map<Ref, number>();
  return (ref) => {
    let no = known.get(ref);
    if (no === undefined) {
      const path = code.path(fileOf(ref));
      const node =
        symbolOf(ref) < 0 ? table.find('file', path) : table.find('symbol', `${path}#${code.nameOf(ref)}`);
      no = node!.no;
      known.set(ref, no);
    }
    return no;
  };
}
