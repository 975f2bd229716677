import type { LinkKind } from '../../../code/graph/linker.js';

export interface NumberedEdge {
  source: number;
  target: number;
  kind: LinkKind;
}

const KINDS: readonly LinkKind[] = ['import', 'symbol_import', 'call'];

/** Three numbers each. */
export const EDGE_BYTES = 12;

export function packEdges(edges: readonly NumberedEdge[]): Buffer {
  const ordered = edges.map(({ source, target, kind }) => ({ source, target, kind: KINDS.indexOf(kind) }));
  ordered.sort(
    (one, other) => one.source - other.source || one.kind - other.kind || one.target - other.target,
  );
  const packed = Buffer.allocUnsafe(ordered.length * EDGE_BYTES);
  ordered.forEach(({ source, target, kind }, index) => {
    packed.writeInt32LE(source, index * EDGE_BYTES);
    packed.writeInt32LE(target, index * EDGE_BYTES + 4);
    packed.writeInt32LE(kind, index * EDGE_BYTES + 8);
  });
  return packed;
}

export function* unpackEdges(packed: Buffer): Generator<NumberedEdge> {
  for (let at = 0; at + EDGE_BYTES <= packed.length; at += EDGE_BYTES)
    yield {
      source: packed.readInt32LE(at),
      target: packed.readInt32LE(at + 4),
      kind: KINDS[packed.readInt32LE(at + 8)]!,
    };
}
