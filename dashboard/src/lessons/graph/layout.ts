import type { Graph, GraphNode } from '../../api/lessons.js';

/** Deterministic layout: callers left of the center, dependencies right of it, one column per hop. */

export interface Spot {
  node: GraphNode;
  /** Negative to the left of the center. */
  column: number;
  x: number;
  y: number;
}

export interface Layout {
  spots: Map<string, Spot>;
  width: number;
  height: number;
}

export const NODE_WIDTH = 156;
export const NODE_HEIGHT = 28;
const ROW = 34;
const BESIDE = 10;
const GAP = 46;
const MARGIN = 14;
/** Columns with more places are split into adjacent ones. */
const HIGHEST = 22;
const SWEEPS = 4;

/** Yields between steps so that the caller can keep the page responsive. */
export function* layOut(graph: Graph): Generator<undefined, Layout> {
  const links = linksOf(graph);
  const columns = groupInColumns(graph, links);
  yield;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const column of outward(columns)) {
      sortByNeighbours(columns, column, links, sweep);
      yield;
    }
  }
  return place(columns);
}

type Links = Map<string, { node: string; out: boolean }[]>;

function linksOf({ nodes, edges }: Graph): Links {
  const links: Links = new Map(nodes.map(({ node_id }) => [node_id, []]));
  for (const { from, to } of edges) {
    links.get(from)?.push({ node: to, out: true });
    links.get(to)?.push({ node: from, out: false });
  }
  return links;
}

/** A place keeps the side of the center through which it was first reached. */
function groupInColumns({ nodes, center }: Graph, links: Links): Map<number, GraphNode[]> {
  const hopsOf = new Map(nodes.map(({ node_id, hops }) => [node_id, hops]));
  const columnOf = new Map([[center, 0]]);
  const byHops = [...nodes].sort((one, other) => one.hops - other.hops || compare(one, other));
  for (const { node_id, hops } of byHops) {
    if (node_id === center) continue;
    const nearer = (links.get(node_id) ?? []).filter(({ node }) => hopsOf.get(node) === hops - 1);
    const side = hops === 1 ? sideOfFirst(nearer) : sideOfLater(nearer, columnOf);
    columnOf.set(node_id, side * Math.max(1, hops));
  }
  const columns = new Map<number, GraphNode[]>();
  for (const node of byHops) {
    const column = columnOf.get(node.node_id) ?? 0;
    columns.set(column, [...(columns.get(column) ?? []), node]);
  }
  return columns;
}

/** Places that the center uses go to the right, even if they also use the center. */
const sideOfFirst = (links: { out: boolean }[]): number => (links.some(({ out }) => !out) ? 1 : -1);

function sideOfLater(links: { node: string }[], columnOf: Map<string, number>): number {
  const sum = links.reduce((all, { node }) => all + Math.sign(columnOf.get(node) ?? 0), 0);
  return sum < 0 ? -1 : 1;
}

const keyOf = ({ path, symbol }: GraphNode): string => `${path}#${symbol ?? ''}`;
const compare = (one: GraphNode, other: GraphNode): number => (keyOf(one) < keyOf(other) ? -1 : 1);

const outward = (columns: Map<number, GraphNode[]>): number[] =>
  [...columns.keys()].filter((column) => column !== 0).sort((a, b) => Math.abs(a) - Math.abs(b) || a - b);

/** Groups neighbors of the same place to reduce crossing links; sweeps alternate in direction. */
function sortByNeighbours(
  columns: Map<number, GraphNode[]>,
  column: number,
  links: Links,
  sweep: number,
): void {
  const step = Math.sign(column) * (sweep % 2 === 0 ? -1 : 1);
  const beside = columns.get(column + step) ?? [];
  const placeOf = new Map(beside.map(({ node_id }, at) => [node_id, at / Math.max(1, beside.length - 1)]));
  const nodes = columns.get(column) ?? [];
  const own = new Map(nodes.map(({ node_id }, at) => [node_id, at / Math.max(1, nodes.length - 1)]));
  const meanOf = ({ node_id }: GraphNode): number => {
    const places = (links.get(node_id) ?? []).flatMap(({ node }) => placeOf.get(node) ?? []);
    if (places.length === 0) return own.get(node_id) ?? 0;
    return places.reduce((all, one) => all + one, 0) / places.length;
  };
  const means = new Map(nodes.map((node) => [node.node_id, meanOf(node)]));
  const mean = ({ node_id }: GraphNode) => means.get(node_id) ?? 0;
  columns.set(
    column,
    [...nodes].sort((one, other) => mean(one) - mean(other) || compare(one, other)),
  );
}

function place(columns: Map<number, GraphNode[]>): Layout {
  const numbers = [...columns.keys()].sort((a, b) => a - b);
  const tallest = Math.max(...[...columns.values()].map((nodes) => Math.min(nodes.length, HIGHEST)));
  const height = tallest * ROW + 2 * MARGIN;
  const spots = new Map<string, Spot>();
  let left = MARGIN;
  for (const column of numbers) {
    const nodes = columns.get(column) ?? [];
    const strips = Math.ceil(nodes.length / HIGHEST);
    const perStrip = Math.ceil(nodes.length / strips);
    nodes.forEach((node, at) => {
      const strip = Math.floor(at / perStrip);
      const inStrip = Math.min(perStrip, nodes.length - strip * perStrip);
      const top = (height - inStrip * ROW) / 2;
      spots.set(node.node_id, {
        node,
        column,
        x: left + strip * (NODE_WIDTH + BESIDE),
        y: top + (at % perStrip) * ROW + (ROW - NODE_HEIGHT) / 2,
      });
    });
    left += strips * (NODE_WIDTH + BESIDE) - BESIDE + GAP;
  }
  return { spots, width: left - GAP + MARGIN, height };
}

/** The nearest spot in the direction of an arrow key; sideways distance counts more than distance ahead. */
export function neighbourOf({ spots }: Layout, from: string, key: string): string | undefined {
  const start = spots.get(from);
  if (!start) return undefined;
  let best: { id: string; far: number } | undefined;
  for (const [id, { x, y }] of spots) {
    const right = x - start.x;
    const down = y - start.y;
    const [ahead, aside] =
      {
        ArrowRight: [right, down],
        ArrowLeft: [-right, down],
        ArrowDown: [down, right],
        ArrowUp: [-down, right],
      }[key] ?? [];
    if (ahead === undefined || aside === undefined || ahead <= 1) continue;
    // Up and Down prefer spots in the same column.
    const far = ahead + Math.abs(aside) * (key === 'ArrowUp' || key === 'ArrowDown' ? 6 : 2);
    if (!best || far < best.far) best = { id, far };
  }
  return best?.id;
}
