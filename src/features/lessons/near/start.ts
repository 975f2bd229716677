import type { CodeGraph } from '../../projects/index.js';
import { type Anchor, anchorCandidates, parseAnchor } from '../files/anchors.js';
import { invalidAnchor } from '../lessons.errors.js';

/** A place in the code as a question names it in one of its fields. */
export function readStart(path: string, field: string): Anchor {
  const anchor = parseAnchor(path);
  if (!anchor) throw invalidAnchor(field);
  return anchor;
}

/** The live code at that place. */
export const findStart = (graph: CodeGraph, anchor: Anchor): number | undefined =>
  anchorCandidates(anchor)
    .map(({ path }) => graph.findByPath(path))
    .find((node) => node !== undefined);
