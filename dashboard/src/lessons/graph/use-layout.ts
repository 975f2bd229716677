import { useEffect, useState } from 'react';
import type { Graph } from '../../api/lessons.js';
import { type Layout, layOut } from './layout.js';

const SLICE_MS = 8;

export interface Drawn {
  graph: Graph;
  layout: Layout;
}

/** Runs a generator in time slices to keep the page responsive. Returns undefined when canceled. */
async function runInSlices<T>(work: Generator<undefined, T>, isOver: () => boolean): Promise<T | undefined> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    while (performance.now() < until) {
      const step = work.next();
      if (step.done) return step.value;
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (isOver()) return undefined;
  }
}

/** The layout of the graph; the previous one stays until the next is ready. */
export function useLayout(graph: Graph | undefined): Drawn | undefined {
  const [drawn, setDrawn] = useState<Drawn>();
  useEffect(() => {
    if (!graph) return;
    let over = false;
    void runInSlices(layOut(graph), () => over).then((layout) => {
      if (layout && !over) setDrawn({ graph, layout });
    });
    return () => {
      over = true;
    };
  }, [graph]);
  return drawn;
}
