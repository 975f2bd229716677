import { SCALE_BYTES } from './vector-math.js';

/** Distinct strings, numbered from 0 in insertion order. */
export interface StringTable {
  readonly list: readonly string[];
  add(text: string): number;
  /** Returns -1 for an unknown string. */
  find(text: string): number;
}

function createStringTable(): StringTable {
  const list: string[] = [];
  const numbers = new Map<string, number>();
  return {
    list,
    add(text) {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, list.length);
      return list.push(text) - 1;
    },
    find: (text) => numbers.get(text) ?? -1,
  };
}

/** One column for each property of a memory, by its number. */
export interface Documents {
  /** Memory IDs in hexadecimal, without dashes. */
  ids: StringTable;
  /** 0 for a deleted memory. */
  status: Uint8Array;
  kind: Uint8Array;
  importance: Uint8Array;
  confidence: Float64Array;
  verifiedAt: Float64Array;
  createdAt: Float64Array;
  /** Number of different words in title and body. */
  length: Uint16Array;
}

/** The terms of all documents in one array: scanning it is faster than following an index. */
export interface TermLists {
  terms: StringTable;
  /** A term's number and its count in each zone. */
  entries: Uint32Array;
  used: number;
  /** Number of entries of documents that changed or were deleted. */
  dead: number;
  starts: Uint32Array;
  counts: Uint32Array;
}

export interface AgentIndex {
  readonly documents: Documents;
  readonly stems: TermLists;
  readonly words: TermLists;
  readonly vectors: Vectors;
  readonly bytes: number;
  /** Adds or replaces documents, in the form in which the store packs them. */
  apply(packed: Buffer): void;
  remove(memoryId: string): void;
}

/** Integers from -127 to 127 with a scale per vector; scale 0 means that there is no vector yet. */
export interface Vectors {
  dimensions: number;
  values: Int8Array;
  scales: Float32Array;
  count: number;
}

export const STATUSES = ['active', 'archived', 'merged'] as const;
export const ACTIVE = 1 + STATUSES.indexOf('active');

/** Higher counts do not change the ranking. */
const MOST_IN_TITLE = 3;
const MOST_IN_BODY = 15;
const MOST_ASIDE = 3;
export const ZONE_BITS = 10;
const MOST_TERMS = 2 ** (32 - ZONE_BITS);

export const titleCount = (zones: number): number => (zones >>> 8) & 3;
export const bodyCount = (zones: number): number => (zones >>> 4) & 15;
export const asideCount = (zones: number): number => (zones >>> 2) & 3;
export const isPart = (zones: number): boolean => (zones & 2) !== 0;

const EPOCH_2000 = Date.UTC(2000, 0, 1);
const INITIAL_LENGTH = 64;
const LEAST_DEAD_ENTRIES = 4096;
/** Estimated size of a string with its map entry. */
const STRING_BYTES = 100;

/**
 * The searchable data of one agent's memories in typed arrays; one object per memory would take several times
 * the space.
 */
export function createAgentIndex(): AgentIndex {
  const documents: Documents = {
    ids: createStringTable(),
    status: new Uint8Array(INITIAL_LENGTH),
    kind: new Uint8Array(INITIAL_LENGTH),
    importance: new Uint8Array(INITIAL_LENGTH),
    confidence: new Float64Array(INITIAL_LENGTH),
    verifiedAt: new Float64Array(INITIAL_LENGTH),
    createdAt: new Float64Array(INITIAL_LENGTH),
    length: new Uint16Array(INITIAL_LENGTH),
  };
  const stems = createTermLists();
  const words = createTermLists();
  const vectors: Vectors = {
    dimensions: 0,
    values: new Int8Array(0),
    scales: new Float32Array(INITIAL_LENGTH),
    count: 0,
  };

  function ensureLength(number: number): void {
    if (number < documents.status.length) return;
    const length = documents.status.length * 2;
    documents.status = grown(documents.status, length);
    documents.kind = grown(documents.kind, length);
    documents.importance = grown(documents.importance, length);
    documents.confidence = grown(documents.confidence, length);
    documents.verifiedAt = grown(documents.verifiedAt, length);
    documents.createdAt = grown(documents.createdAt, length);
    documents.length = grown(documents.length, length);
    vectors.scales = grown(vectors.scales, length);
    vectors.values = grown(vectors.values, length * vectors.dimensions);
    for (const lists of [stems, words]) {
      lists.starts = grown(lists.starts, length);
      lists.counts = grown(lists.counts, length);
    }
  }

  function setVector(number: number, packed: Buffer, at: number, size: number): void {
    if (vectors.scales[number] !== 0) vectors.count -= 1;
    vectors.scales[number] = 0;
    if (size === 0) return;
    if (vectors.dimensions === 0) {
      vectors.dimensions = size - SCALE_BYTES;
      vectors.values = new Int8Array(documents.status.length * vectors.dimensions);
    }
    // Vectors of different lengths cannot be compared.
    if (size - SCALE_BYTES !== vectors.dimensions) return;
    vectors.scales[number] = packed.readFloatLE(at);
    const numbers = new Int8Array(packed.buffer, packed.byteOffset + at + SCALE_BYTES, vectors.dimensions);
    vectors.values.set(numbers, number * vectors.dimensions);
    vectors.count += 1;
  }

  return {
    documents,
    stems,
    words,
    vectors,
    get bytes() {
      return (
        documents.ids.list.length * STRING_BYTES +
        documents.status.length * 29 +
        vectors.values.length +
        vectors.scales.length * 4 +
        bytesOf(stems) +
        bytesOf(words)
      );
    },

    apply(packed) {
      for (let at = 0; at < packed.length; ) {
        const number = documents.ids.add(packed.toString('hex', at, at + 16));
        ensureLength(number);
        documents.status[number] = packed.readInt16BE(at + 16);
        documents.kind[number] = packed.readInt16BE(at + 18);
        documents.importance[number] = packed.readInt16BE(at + 20);
        documents.confidence[number] = packed.readDoubleBE(at + 22);
        documents.verifiedAt[number] = readTime(packed, at + 30);
        documents.createdAt[number] = readTime(packed, at + 38);
        at = readTerms(stems, number, packed, at + 46);
        documents.length[number] = countWritten(stems, number);
        at = readTerms(words, number, packed, at);
        const size = packed.readInt32BE(at);
        setVector(number, packed, at + 4, size);
        at += 4 + size;
      }
      compact(stems, documents.ids.list.length);
      compact(words, documents.ids.list.length);
    },

    remove(memoryId) {
      const number = numberOf(documents, memoryId);
      if (number < 0) return;
      documents.status[number] = 0;
      for (const lists of [stems, words]) {
        lists.dead += lists.counts[number]!;
        lists.counts[number] = 0;
      }
      setVector(number, Buffer.alloc(0), 0, 0);
    },
  };
}

export const numberOf = ({ ids }: Documents, memoryId: string): number =>
  ids.find(memoryId.replaceAll('-', ''));

/** The memory's id as the database writes it. */
export function idOf({ documents }: AgentIndex, number: number): string {
  const hex = documents.ids.list[number]!;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const createTermLists = (): TermLists => ({
  terms: createStringTable(),
  entries: new Uint32Array(INITIAL_LENGTH),
  used: 0,
  dead: 0,
  starts: new Uint32Array(INITIAL_LENGTH),
  counts: new Uint32Array(INITIAL_LENGTH),
});

const bytesOf = ({ terms, entries, starts, counts }: TermLists): number =>
  terms.list.length * STRING_BYTES + (entries.length + starts.length + counts.length) * 4;

/** Microseconds since the year 2000, as the database sends times. */
const readTime = (packed: Buffer, at: number): number =>
  EPOCH_2000 + (packed.readInt32BE(at) * 2 ** 32 + packed.readUInt32BE(at + 4)) / 1000;

/** Reads a text search vector in PostgreSQL's binary form. Returns the position after it. */
function readTerms(lists: TermLists, number: number, packed: Buffer, start: number): number {
  const count = packed.readInt32BE(start);
  lists.dead += lists.counts[number]!;
  lists.starts[number] = lists.used;
  lists.counts[number] = count;
  if (lists.used + count > lists.entries.length)
    lists.entries = grown(lists.entries, Math.max(lists.entries.length * 2, lists.used + count));
  const { terms, entries } = lists;
  let used = lists.used;
  let at = start + 4;
  for (let i = 0; i < count; i += 1) {
    const end = packed.indexOf(0, at);
    const term = terms.add(packed.toString('utf8', at, end));
    if (term >= MOST_TERMS) throw new RangeError('An agent has too many different words');
    at = end;
    const places = at + 3;
    at = places + (packed[at + 1]! * 256 + packed[at + 2]!) * 2;
    entries[used] = term * 2 ** ZONE_BITS + readZones(packed, places, at);
    used += 1;
  }
  lists.used = used;
  return at;
}

/**
 * The upper two bits of a position are its zone: 3 title, 2 body, 1 description and tags, 0 parts of camel
 * case names.
 */
function readZones(packed: Buffer, from: number, to: number): number {
  let title = 0;
  let body = 0;
  let aside = 0;
  let part = from === to ? 1 : 0;
  for (let at = from; at < to; at += 2) {
    const zone = packed[at]! >>> 6;
    if (zone === 3) title += 1;
    else if (zone === 2) body += 1;
    else if (zone === 1) aside += 1;
    else part = 1;
  }
  return (
    (Math.min(title, MOST_IN_TITLE) << 8) |
    (Math.min(body, MOST_IN_BODY) << 4) |
    (Math.min(aside, MOST_ASIDE) << 2) |
    (part << 1)
  );
}

/** Descriptions and tags do not count toward the length. */
function countWritten({ entries, starts, counts }: TermLists, number: number): number {
  let written = 0;
  const end = starts[number]! + counts[number]!;
  for (let i = starts[number]!; i < end; i += 1) if ((entries[i]! & 0x3f0) !== 0) written += 1;
  return Math.min(written, 0xffff);
}

/** Removes the entries of changed documents once they are half of all. */
function compact(lists: TermLists, documents: number): void {
  if (lists.dead < LEAST_DEAD_ENTRIES || lists.dead * 2 < lists.used) return;
  const entries = new Uint32Array(Math.max(INITIAL_LENGTH, (lists.used - lists.dead) * 2));
  let used = 0;
  for (let number = 0; number < documents; number += 1) {
    const start = lists.starts[number]!;
    const count = lists.counts[number]!;
    entries.set(lists.entries.subarray(start, start + count), used);
    lists.starts[number] = used;
    used += count;
  }
  lists.entries = entries;
  lists.used = used;
  lists.dead = 0;
}

function grown<T extends Uint8Array | Uint16Array | Uint32Array | Int8Array | Float32Array | Float64Array>(
  array: T,
  length: number,
): T {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}
