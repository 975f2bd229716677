import type { TaskGround } from '../../../code/diff-analysis/strays.js';
import { yieldRegularly } from '../../../kernel/async.js';
import type { CodeGraph, WalkedKind } from '../../projects/index.js';

const WALKED: ReadonlySet<WalkedKind> = new Set(['import', 'call']);
const HOPS = 2;
const MOST_NEAR = 5000;
const PIECE = 1000;

/** A file name that more files than this share does not identify a file. */
const MOST_CALLED_ALIKE = 50;

/** Finds the files and folders that the card names, and the code near them. */
export async function findGround(
  graph: CodeGraph | undefined,
  candidates: readonly string[],
  changed: readonly string[],
): Promise<TaskGround> {
  const touched = new Set(changed);
  const named = candidates.filter((path) => touched.has(path) || nodeAt(graph, path) !== undefined);
  const short = await findByLastName(graph, candidates, changed);
  const places = [...new Set([...named.map((path) => path.replace(/#.*$/, '')), ...short])];
  return { named: places, near: graph ? await walk(graph, places) : [], footprint: null };
}

/** Texts may name a folder without its trailing slash. */
const nodeAt = (graph: CodeGraph | undefined, path: string): number | undefined =>
  graph?.findByPath(path) ?? graph?.findByPath(`${path}/`);

const lastNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

async function findByLastName(
  graph: CodeGraph | undefined,
  candidates: readonly string[],
  changed: readonly string[],
): Promise<string[]> {
  const wanted = new Set(candidates.filter((path) => !path.includes('/')));
  if (wanted.size === 0) return [];
  const turn = yieldRegularly();
  const found = new Map<string, Set<string>>();
  const note = (path: string) => {
    const name = lastNameOf(path);
    if (wanted.has(name)) found.set(name, (found.get(name) ?? new Set()).add(path));
  };
  changed.forEach(note);
  for (const [position, { kind, path }] of (graph?.nodes ?? []).entries()) {
    if (position % PIECE === 0) await turn();
    if (kind === 'file') note(path);
  }
  return [...found.values()].flatMap((paths) => (paths.size <= MOST_CALLED_ALIKE ? [...paths] : []));
}

async function walk(graph: CodeGraph, places: readonly string[]): Promise<string[]> {
  const turn = yieldRegularly();
  const near = new Set<string>();
  let edge = new Set(places.flatMap((path) => nodeAt(graph, path) ?? []));
  for (let hop = 0; hop < HOPS && near.size < MOST_NEAR; hop++) {
    const next = new Set<number>();
    for (const node of edge)
      for (const one of [node, ...graph.symbolsUnder(node)]) {
        await turn();
        for (const { node: other } of graph.neighbours(one, WALKED, 'both')) {
          const file = fileOf(graph, other);
          const { path } = graph.nodes[file]!;
          if (near.has(path) || near.size >= MOST_NEAR) continue;
          near.add(path);
          next.add(file);
        }
      }
    edge = next;
  }
  return [...near];
}

function fileOf(graph: CodeGraph, node: number): number {
  let at = node;
  while (graph.nodes[at]!.kind === 'symbol') {
    const parent = graph.parentOf(at);
    if (parent === undefined) break;
    at = parent;
  }
  return at;
}

export async function findMostUsed(
  graph: CodeGraph | undefined,
  changed: readonly string[],
): Promise<{ path: string; count: number } | null> {
  const turn = yieldRegularly();
  let most: { path: string; count: number } | null = null;
  for (const path of graph ? changed : []) {
    await turn();
    const node = graph!.findByPath(path);
    if (node === undefined) continue;
    const users = new Set<number>();
    for (const one of [node, ...graph!.symbolsUnder(node)])
      for (const { node: other } of graph!.neighbours(one, WALKED, 'in')) users.add(fileOf(graph!, other));
    users.delete(node);
    if (users.size > (most?.count ?? 0)) most = { path, count: users.size };
  }
  return most;
}
