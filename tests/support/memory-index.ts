import { type AgentIndex, createAgentIndex } from '../../src/features/memory/search/agent-index.js';

/** A memory as the index sees it: the terms of each zone, repeated as often as they occur. */
export interface PackedMemory {
  id: string;
  title?: string[];
  body?: string[];
  aside?: string[];
  parts?: string[];
  words?: string[];
  status?: 1 | 2 | 3;
  kind?: number;
  importance?: number;
  confidence?: number;
  verifiedAt?: Date;
  createdAt?: Date;
  vector?: Float32Array;
}

const EPOCH_2000 = Date.UTC(2000, 0, 1);

/** Encodes a memory as the bytes that the database would send. */
export function packMemory(memory: PackedMemory): Buffer {
  const { status = 1, kind = 1, importance = 2, confidence = 0.8 } = memory;
  const { verifiedAt = new Date(0), createdAt = new Date(0), title = [], body = [] } = memory;
  const head = Buffer.alloc(46);
  head.write(memory.id.replaceAll('-', ''), 'hex');
  head.writeInt16BE(status, 16);
  head.writeInt16BE(kind, 18);
  head.writeInt16BE(importance, 20);
  head.writeDoubleBE(confidence, 22);
  head.writeBigInt64BE(BigInt(verifiedAt.getTime() - EPOCH_2000) * 1000n, 30);
  head.writeBigInt64BE(BigInt(createdAt.getTime() - EPOCH_2000) * 1000n, 38);
  const stems = packVector([title, body, memory.aside ?? [], memory.parts ?? []]);
  const words = packVector([title, memory.words ?? body, [], memory.parts ?? []]);
  return Buffer.concat([head, stems, words, packNumbers(memory.vector)]);
}

function packVector(zones: string[][]): Buffer {
  const places = new Map<string, number[]>();
  zones.forEach((terms, zone) => {
    for (const term of terms) places.set(term, [...(places.get(term) ?? []), ((3 - zone) << 14) | 1]);
  });
  const parts = [Buffer.alloc(4)];
  parts[0]!.writeInt32BE(places.size);
  for (const [term, found] of places) {
    const numbers = Buffer.alloc(3 + found.length * 2);
    numbers.writeUInt16BE(found.length, 1);
    for (const [i, place] of found.entries()) numbers.writeUInt16BE(place, 3 + i * 2);
    parts.push(Buffer.from(term), numbers);
  }
  return Buffer.concat(parts);
}

function packNumbers(vector: Float32Array | undefined): Buffer {
  if (!vector) return Buffer.alloc(4);
  const bytes = Buffer.alloc(8 + vector.length);
  const largest = Math.max(...vector.map(Math.abs));
  bytes.writeInt32BE(vector.length + 4);
  bytes.writeFloatLE(largest / 127, 4);
  for (const [i, value] of vector.entries()) bytes.writeInt8(Math.round((value / largest) * 127), 8 + i);
  return bytes;
}

/** A UUID that contains the number of the memory. */
export const memoryId = (number: number): string =>
  `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

export function indexOf(memories: readonly PackedMemory[]): AgentIndex {
  const index = createAgentIndex();
  index.apply(Buffer.concat(memories.map(packMemory)));
  return index;
}
