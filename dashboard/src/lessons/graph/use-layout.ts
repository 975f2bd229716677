import { useEffect, useState } from 'react';
import type { Graph } from '../../api/lessons.js';
import { type Layout, layOut } from './layout.js';

const SLICE_MS = 8;

export interface Drawn {
  graph: Graph;
  layout: Layout;
}

/** Works a generator off in slices; the page answers in between. Undefined when it was called off. */
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

/** Where everything stands; the picture before stays until the next is worked out. */
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
