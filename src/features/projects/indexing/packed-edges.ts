import type { LinkKind } from '../linking/linker.js';

export interface NumberedEdge {
  source: number;
  target: number;
  kind: LinkKind;
}

const KINDS: readonly LinkKind[] = ['import', 'symbol_import', 'call'];

export function packEdges(edges: readonly NumberedEdge[]): Buffer {
  const ordered = edges.map(({ source, target, kind }) => ({ source, target, kind: KINDS.indexOf(kind) }));
  ordered.sort(
    (one, other) => one.source - other.source || one.kind - other.kind || one.target - other.target,
  );
  const packed = Buffer.allocUnsafe(ordered.length * 12);
  ordered.forEach(({ source, target, kind }, index) => {
    packed.writeInt32LE(source, index * 12);
    packed.writeInt32LE(target, index * 12 + 4);
    packed.writeInt32LE(kind, index * 12 + 8);
  });
  return packed;
}

export function* unpackEdges(packed: Buffer): Generator<NumberedEdge> {
  for (let at = 0; at + 12 <= packed.length; at += 12)
    yield {
      source: packed.readInt32LE(at),
      target: packed.readInt32LE(at + 4),
      kind: KINDS[packed.readInt32LE(at + 8)]!,
    };
}
