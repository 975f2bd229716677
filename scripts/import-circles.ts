/** Files by their imports, including type imports, because a cycle of types is as hard to read. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Returns one shortest cycle for each group of files that import each other, as the paths along it. */
export function findCircles(graph: ImportGraph): string[][] {
  const settled = new Set<string>();
  const circles: string[][] = [];
  for (const start of graph.keys()) {
    const circle = settled.has(start) ? undefined : shortestCircle(graph, start);
    if (!circle) continue;
    circles.push(circle);
    for (const path of circle) settled.add(path);
  }
  return circles;
}

function shortestCircle(graph: ImportGraph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const path of queue) {
    for (const target of graph.get(path) ?? []) {
      if (target === start) return wayFrom(start, path, cameFrom);
      if (cameFrom.has(target) || !graph.has(target)) continue;
      cameFrom.set(target, path);
      queue.push(target);
    }
  }
  return undefined;
}

function wayFrom(start: string, end: string, cameFrom: Map<string, string>): string[] {
  const way = [end];
  while (way[0] !== start) way.unshift(cameFrom.get(way[0]!)!);
  return way;
}
