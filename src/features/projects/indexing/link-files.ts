import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CodeBase, fileOf, LinkSteps, type Ref, symbolOf } from '../../../code/graph/code-base.js';
import { openLinker } from '../../../code/graph/linker.js';
import type { NodeTable } from '../../../code/graph/node-table.js';
import { type Language, languageOf } from '../../../code/languages.js';
import type { TreeFile } from '../git/tree.js';
import { type IndexBounds, isLeftOut } from './bounds.js';
import { EDGE_BYTES, packEdges } from './code-graph.js';
import type { FactSource } from './fact-source.js';
import type { IndexState, LinkMemory } from './index-state.js';

export interface LinkInput {
  state: IndexState;
  report(phase: 'linking', done: number, total: number): Promise<void>;
  files: readonly TreeFile[];
  source: Pick<FactSource, 'get'>;
  bounds: IndexBounds;
  /** Paths that a step changed: their nodes may differ even if the content is the same again. */
  touched: ReadonlySet<string>;
}

const REPORT_MS = 300;
/** Yields after this time, because nodes are sent to the database meanwhile. */
const TURN_MS = 1;

export async function linkFiles(input: LinkInput) {
  const { state, files } = input;
  const known = state.links;
  const again = known && findAffected(known, input.files, input.touched);
  let linked = again && (await linkAgain(input, again, known));
  // Limits apply in file order, so only a run over all files shows which ones reach them.
  if (!linked || linked.unlinked > 0) linked = await linkAgain(input, [...files.keys()], undefined);
  state.links = linked.unlinked === 0 ? linked.memory : undefined;
  return { ...replaceEdges(state, files, linked.packed), unlinked: linked.unlinked };
}

async function linkAgain(
  { state, report, files, source, bounds }: LinkInput,
  again: readonly number[],
  known: LinkMemory | undefined,
) {
  await report('linking', 0, again.length);
  const memory: LinkMemory = { files: known?.files.slice() ?? [] };
  const packed = new Map<number, Buffer>();
  const steps = new LinkSteps(bounds.steps - stepsBeside(memory, again));
  const { code, link } = openLinker(
    files.map(({ path, blob }) => ({
      path,
      language: languageOf(path),
      facts: isLeftOut(blob) ? undefined : source.get(path, blob),
    })),
    steps,
  );
  const numberOf = nodeNumbers(state.table, code);
  const until = performance.now() + bounds.milliseconds;
  let late = 0;
  let [reported, turned] = [performance.now(), performance.now()];
  for (const [done, file] of again.entries()) {
    const now = performance.now();
    if (now - reported > REPORT_MS) {
      reported = now;
      await report('linking', done, again.length);
    }
    if (now - turned > TURN_MS) {
      await nextTurn();
      turned = performance.now();
    }
    if (now > until) {
      late++;
      packed.set(file, packEdges([]));
      continue;
    }
    const linked = link(file);
    const { path, blob } = files[file]!;
    const reads = Int32Array.from(linked.reads.files);
    memory.files[file] = { path, blob, reads, languages: [...linked.reads.languages], steps: linked.steps };
    const edges = linked.links.map((edge) => ({
      source: numberOf(edge.source),
      target: numberOf(edge.target),
      kind: edge.kind,
    }));
    packed.set(file, packEdges(edges));
  }
  return { packed, memory, unlinked: steps.spentFiles + late };
}

function replaceEdges(
  state: IndexState,
  files: readonly TreeFile[],
  packed: ReadonlyMap<number, Buffer>,
): { changed: [number, Buffer][]; removed: number[]; count: number } {
  const changed: [number, Buffer][] = [];
  const present = new Set<number>();
  let count = 0;
  for (const [file, { path }] of files.entries()) {
    const { no } = state.table.find('file', path)!;
    const before = state.edges.get(no);
    const edges = packed.get(file) ?? before;
    if (!edges || edges.length === 0) continue;
    present.add(no);
    count += edges.length / EDGE_BYTES;
    if (before === edges || before?.equals(edges)) continue;
    state.edges.set(no, edges);
    changed.push([no, edges]);
  }
  const removed = [...state.edges.keys()].filter((no) => !present.has(no));
  for (const no of removed) state.edges.delete(no);
  return { changed, removed, count };
}

/** Caches the symbols of a file, because lookups come file by file. */
function nodeNumbers(table: NodeTable, code: CodeBase): (ref: Ref) => number {
  const known: { file: number; symbols?: Map<string | null, number> }[] = [];
  return (ref) => {
    const file = fileOf(ref);
    known[file] ??= { file: table.find('file', code.path(file))!.no };
    const numbers = known[file];
    if (symbolOf(ref) < 0) return numbers.file;
    numbers.symbols ??= new Map(
      table.symbolsOf(table.nodes.get(numbers.file)!).map(({ symbol, no }) => [symbol, no]),
    );
    return numbers.symbols.get(code.nameOf(ref))!;
  };
}

/** Undefined if all files must be linked again: a new or missing name may change the meaning of any file. */
export function findAffected(
  known: LinkMemory,
  files: readonly TreeFile[],
  touched: ReadonlySet<string>,
): number[] | undefined {
  if (known.files.length !== files.length) return undefined;
  const changed = new Set<number>();
  const languages = new Set<Language>();
  for (const [file, { path, blob }] of files.entries()) {
    const before = known.files[file]!;
    if (before.path !== path) return undefined;
    if (before.blob === blob && !touched.has(path)) continue;
    const language = languageOf(path);
    if (language === 'manifest') return undefined;
    changed.add(file);
    if (language) languages.add(language);
  }
  if (changed.size === 0) return [];
  return [...files.keys()].filter((file) => {
    const { reads, languages: read } = known.files[file]!;
    return (
      changed.has(file) ||
      reads.some((other) => changed.has(other)) ||
      read.some((language) => languages.has(language))
    );
  });
}

export function stepsBeside({ files }: LinkMemory, again: readonly number[]): number {
  let steps = 0;
  for (const file of files) steps += file.steps;
  for (const file of again) steps -= files[file]?.steps ?? 0;
  return steps;
}
