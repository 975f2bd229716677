import { yieldRegularly } from '../../../kernel/async.js';
import type { CodeGraph, ProjectService } from '../../projects/index.js';
import { fileOfSymbol, placesAround } from '../files/anchors.js';
import { kindsUnknown, noReadyIndex, noSuchCode } from '../lessons.errors.js';
import type { GraphAnswer, GraphQuery, TreeAnswer } from '../lessons.schemas.js';
import type { AnchoredLesson } from '../records/lessons.store.js';
import type { AnchoredLessons } from './lookup.service.js';
import { findStart, readStart, type Walk, walkCode } from './walk.js';

const HUB_CAP = 25;
const MOST_CHILDREN = 2000;
const WALKED = ['import', 'call', 'contains'] as const;
type WalkedKind = (typeof WALKED)[number];
const CONTAINS: ReadonlySet<WalkedKind> = new Set(['contains']);
const CALLS: ReadonlySet<WalkedKind> = new Set(['call']);

export function createMapService({
  projects,
  anchored,
}: {
  projects: ProjectService;
  anchored: AnchoredLessons;
}) {
  async function findCode(brandId: number, projectId: string, path: string) {
    const anchor = readStart(path, 'path');
    const project = await projects.getProjectRow(brandId, projectId);
    if (project.ready_index_id === null) throw noReadyIndex();
    const graph = await projects.loadGraph(project);
    const start = graph && findStart(graph, anchor);
    if (!graph || start === undefined) throw noSuchCode();
    return { project, graph, start };
  }

  return {
    async readSurroundings(brandId: number, projectId: string, query: GraphQuery): Promise<GraphAnswer> {
      const kinds = readKinds(query.kinds);
      const { project, graph, start } = await findCode(brandId, projectId, query.path);
      const walk = walkCode(graph, [start], {
        depth: query.depth,
        kinds,
        direction: 'both',
        hubCap: HUB_CAP,
      });
      const shown = [...walk.reached.keys()].slice(0, query.limit);
      const counts = await countLessons(
        shown.map((node) => graph.nodes[node]!.path),
        await anchored.list(project),
      );
      return {
        center: graph.nodes[start]!.id,
        nodes: shown.map((node) => {
          const { id, kind, path } = graph.nodes[node]!;
          return {
            node_id: id,
            kind,
            path: kind === 'symbol' ? fileOfSymbol(path) : path,
            symbol: kind === 'symbol' ? path.slice(path.lastIndexOf('#') + 1) : null,
            hops: walk.reached.get(node)!.hops,
            ...counts(path),
          };
        }),
        edges: linksAmong(walk, start, shown, kinds),
        truncated: walk.isCapped || walk.reached.size > query.limit,
      };
    },

    async listChildren(brandId: number, projectId: string, path: string): Promise<TreeAnswer> {
      const { project, graph, start } = await findCode(brandId, projectId, path);
      const children = graph
        .neighbours(start, CONTAINS, 'out')
        .map(({ node }) => graph.nodes[node]!)
        .sort(byKindAndName);
      const shown = children.slice(0, MOST_CHILDREN);
      const counts = await countLessons(
        shown.map((child) => child.path),
        await anchored.list(project),
      );
      return {
        path: graph.nodes[start]!.path,
        items: shown.map((child) => ({
          node_id: child.id,
          kind: child.kind,
          path: child.path,
          name: nameOf(child.path, child.kind),
          ...counts(child.path),
        })),
        total: children.length,
      };
    },
  };
}

function readKinds(listed = 'import,contains'): ReadonlySet<WalkedKind> {
  const kinds = listed
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '');
  if (!kinds.every((kind): kind is WalkedKind => WALKED.includes(kind as WalkedKind))) throw kindsUnknown();
  return new Set(kinds);
}

const nameOf = (path: string, kind: string): string =>
  kind === 'symbol'
    ? path.slice(Math.max(path.lastIndexOf('#'), path.lastIndexOf('.')) + 1)
    : path.replace(/\/$/, '').split('/').at(-1)!;

const ORDER = { folder: 0, file: 1, symbol: 2 };

const byKindAndName = (
  one: { kind: keyof typeof ORDER; path: string },
  other: { kind: keyof typeof ORDER; path: string },
): number => ORDER[one.kind] - ORDER[other.kind] || (one.path < other.path ? -1 : 1);

/** Links between shown nodes, each once and in its direction in the code. */
function linksAmong(
  { graph }: Walk,
  start: number,
  shown: readonly number[],
  kinds: ReadonlySet<WalkedKind>,
): GraphAnswer['edges'] {
  const visible = new Set(shown);
  const found = new Map<string, GraphAnswer['edges'][number]>();
  const add = (from: number, to: number, kind: GraphAnswer['edges'][number]['kind']) => {
    if (from === to || !visible.has(from) || !visible.has(to)) return;
    const edge = { from: graph.nodes[from]!.id, to: graph.nodes[to]!.id, kind };
    found.set(`${edge.from} ${edge.to} ${kind}`, edge);
  };
  for (const node of shown)
    for (const { node: other, edge } of graph.neighbours(node, kinds, 'out')) add(node, other, edge);
  if (kinds.has('call')) addCallsOfSymbols(graph, start, visible, add);
  return [...found.values()];
}

/**
 * The walk includes the calls of a start file's symbols. If a symbol is not shown, its calls are drawn at the
 * file.
 */
function addCallsOfSymbols(
  graph: CodeGraph,
  start: number,
  visible: ReadonlySet<number>,
  add: (from: number, to: number, kind: 'call') => void,
): void {
  if (graph.nodes[start]!.kind !== 'file') return;
  for (const symbol of graph.symbolsUnder(start)) {
    if (visible.has(symbol)) continue;
    for (const { node } of graph.neighbours(symbol, CALLS, 'out')) add(start, node, 'call');
    for (const { node } of graph.neighbours(symbol, CALLS, 'in')) add(node, start, 'call');
  }
}

interface LessonCounts {
  lessons: number;
  stale_lessons: number;
}

/**
 * Counts the lessons on or below each path. A stale lesson counts where its code was, because people look for
 * it there.
 */
async function countLessons(
  paths: Iterable<string>,
  anchored: readonly AnchoredLesson[],
): Promise<(path: string) => LessonCounts> {
  const found = new Map<string, Map<number, boolean>>();
  for (const path of paths) found.set(path, new Map());
  const turn = yieldRegularly();
  for (const lesson of anchored) {
    for (const place of [lesson.path, ...placesAround(lesson)])
      found.get(place)?.set(lesson.lesson_no, lesson.stale);
    await turn();
  }
  return (path) => {
    const lessons = [...(found.get(path)?.values() ?? [])];
    return { lessons: lessons.length, stale_lessons: lessons.filter(Boolean).length };
  };
}
