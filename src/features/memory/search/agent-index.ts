import { type ByteTable, createByteTable, HASH_SEED, hashByte } from './byte-table.js';
import { SCALE_BYTES } from './vector-bytes.js';

/** What every document has one of, by its number. */
export interface Documents {
  ids: ByteTable;
  /** 0 for one that is gone. */
  status: Uint8Array;
  kind: Uint8Array;
  importance: Uint8Array;
  confidence: Float64Array;
  verifiedAt: Float64Array;
  createdAt: Float64Array;
  /** The transaction that wrote it as it is. */
  changedIn: Float64Array;
  /** How many different words its author used. */
  length: Uint16Array;
}

/** The terms of all documents in one row, document by document: reading all of it is faster than finding one's way. */
export interface TermLists {
  terms: ByteTable;
  /** A term's number and how often it stands in each zone. */
  entries: Uint32Array;
  used: number;
  /** Entries of documents that changed or went. */
  dead: number;
  starts: Uint32Array;
  counts: Uint32Array;
}

export interface AgentIndex {
  /** Tells it from every other one, also of the same agent. */
  readonly serial: number;
  readonly documents: Documents;
  readonly stems: TermLists;
  readonly words: TermLists;
  readonly vectors: Vectors;
  readonly bytes: number;
  /** Takes in documents as the store packs them, in place of what was known of them. */
  apply(packed: Buffer): void;
  remove(memoryId: string): void;
}

/** Whole numbers from -127 to 127 and what to multiply them with; a scale of 0 means that there is no vector yet. */
export interface Vectors {
  dimensions: number;
  values: Int8Array;
  scales: Float32Array;
  count: number;
}

export const STATUSES = ['active', 'archived', 'merged'] as const;
export const ACTIVE = 1 + STATUSES.indexOf('active');

/** Counts beyond these change nothing worth ranking. */
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
const ROOM_AT_FIRST = 64;
/** Below this much waste tidying up is not worth it. */
const WASTE_AT_LEAST = 4096;

let made = 0;

/** Everything search needs to know about one agent's memories, without an object for each. */
export function createAgentIndex(): AgentIndex {
  const documents: Documents = {
    ids: createByteTable(),
    status: new Uint8Array(ROOM_AT_FIRST),
    kind: new Uint8Array(ROOM_AT_FIRST),
    importance: new Uint8Array(ROOM_AT_FIRST),
    confidence: new Float64Array(ROOM_AT_FIRST),
    verifiedAt: new Float64Array(ROOM_AT_FIRST),
    createdAt: new Float64Array(ROOM_AT_FIRST),
    changedIn: new Float64Array(ROOM_AT_FIRST),
    length: new Uint16Array(ROOM_AT_FIRST),
  };
  const stems = createTermLists();
  const words = createTermLists();
  const vectors: Vectors = {
    dimensions: 0,
    values: new Int8Array(0),
    scales: new Float32Array(ROOM_AT_FIRST),
    count: 0,
  };

  function makeRoom(number: number): void {
    if (number < documents.status.length) return;
    const room = documents.status.length * 2;
    documents.status = grown(documents.status, room);
    documents.kind = grown(documents.kind, room);
    documents.importance = grown(documents.importance, room);
    documents.confidence = grown(documents.confidence, room);
    documents.verifiedAt = grown(documents.verifiedAt, room);
    documents.createdAt = grown(documents.createdAt, room);
    documents.changedIn = grown(documents.changedIn, room);
    documents.length = grown(documents.length, room);
    vectors.scales = grown(vectors.scales, room);
    vectors.values = grown(vectors.values, room * vectors.dimensions);
    for (const lists of [stems, words]) {
      lists.starts = grown(lists.starts, room);
      lists.counts = grown(lists.counts, room);
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
    // One model makes vectors of one dimension; what differs can be compared with nothing.
    if (size - SCALE_BYTES !== vectors.dimensions) return;
    vectors.scales[number] = packed.readFloatLE(at);
    const numbers = new Int8Array(packed.buffer, packed.byteOffset + at + SCALE_BYTES, vectors.dimensions);
    vectors.values.set(numbers, number * vectors.dimensions);
    vectors.count += 1;
  }

  return {
    serial: made++,
    documents,
    stems,
    words,
    vectors,
    get bytes() {
      return (
        documents.ids.bytes +
        documents.status.length * 37 +
        vectors.values.length +
        vectors.scales.length * 4 +
        bytesOf(stems) +
        bytesOf(words)
      );
    },

    apply(packed) {
      for (let at = 0; at < packed.length; ) {
        const number = documents.ids.add(packed, at, at + 16);
        makeRoom(number);
        documents.status[number] = packed.readInt16BE(at + 16);
        documents.kind[number] = packed.readInt16BE(at + 18);
        documents.importance[number] = packed.readInt16BE(at + 20);
        documents.confidence[number] = packed.readDoubleBE(at + 22);
        documents.verifiedAt[number] = readTime(packed, at + 30);
        documents.createdAt[number] = readTime(packed, at + 38);
        documents.changedIn[number] = packed.readUInt32BE(at + 46) * 2 ** 32 + packed.readUInt32BE(at + 50);
        at = readTerms(stems, number, packed, at + 54);
        documents.length[number] = countWritten(stems, number);
        at = readTerms(words, number, packed, at);
        const size = packed.readInt32BE(at);
        setVector(number, packed, at + 4, size);
        at += 4 + size;
      }
      tidyUp(stems, documents.ids.size);
      tidyUp(words, documents.ids.size);
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

/** The number of a memory, or -1. */
export const numberOf = ({ ids }: Documents, memoryId: string): number =>
  ids.find(Buffer.from(memoryId.replaceAll('-', ''), 'hex'));

/** The memory's id as the database writes it. */
export const idOf = (index: AgentIndex, number: number): string =>
  formatId(Buffer.from(index.documents.ids.read(number)).toString('hex'));

function formatId(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const createTermLists = (): TermLists => ({
  terms: createByteTable(),
  entries: new Uint32Array(ROOM_AT_FIRST),
  used: 0,
  dead: 0,
  starts: new Uint32Array(ROOM_AT_FIRST),
  counts: new Uint32Array(ROOM_AT_FIRST),
});

const bytesOf = ({ terms, entries, starts, counts }: TermLists): number =>
  terms.bytes + (entries.length + starts.length + counts.length) * 4;

/** Microseconds since the year 2000, as the database sends times. */
const readTime = (packed: Buffer, at: number): number =>
  EPOCH_2000 + (packed.readInt32BE(at) * 2 ** 32 + packed.readUInt32BE(at + 4)) / 1000;

/** Reads a text search vector in the database's binary form; answers with where it ends. */
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
    const from = at;
    let hash = HASH_SEED;
    for (let byte = packed[at]!; byte !== 0; byte = packed[at]!) {
      hash = hashByte(hash, byte);
      at += 1;
    }
    const term = terms.add(packed, from, at, hash);
    if (term >= MOST_TERMS) throw new RangeError('An agent has more different words than can be told apart');
    const places = at + 3;
    at = places + (packed[at + 1]! * 256 + packed[at + 2]!) * 2;
    entries[used] = term * 2 ** ZONE_BITS + readZones(packed, places, at);
    used += 1;
  }
  lists.used = used;
  return at;
}

/** The upper two bits of a place are its zone: 3 for the title, then body, aside, and words of names in camel case. */
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

/** Only title and body make a document long: a description or a tag takes nothing from it. */
function countWritten({ entries, starts, counts }: TermLists, number: number): number {
  let written = 0;
  const end = starts[number]! + counts[number]!;
  for (let i = starts[number]!; i < end; i += 1) if ((entries[i]! & 0x3f0) !== 0) written += 1;
  return Math.min(written, 0xffff);
}

/** Closes the gaps that changed documents left, once they are half of everything. */
function tidyUp(lists: TermLists, documents: number): void {
  if (lists.dead < WASTE_AT_LEAST || lists.dead * 2 < lists.used) return;
  const entries = new Uint32Array(Math.max(ROOM_AT_FIRST, (lists.used - lists.dead) * 2));
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
