import { randomInt } from 'node:crypto';

/** Distinct byte strings, numbered from 0 in the order they came. */
export interface ByteTable {
  readonly size: number;
  /** How much memory it takes. */
  readonly bytes: number;
  /** The number of the string at `start` to `end`, given its hash; a new string gets the next one. */
  add(source: Uint8Array, start: number, end: number, hash?: number): number;
  /** Its number, or -1. */
  find(source: Uint8Array): number;
  /** The string itself, as a view that holds until the next `add`. */
  read(number: number): Uint8Array;
  beginsWith(number: number, beginning: Uint8Array): boolean;
}

/** Unknown to those who write the strings, so that nobody can choose ones that fall together. */
export const HASH_SEED = randomInt(2 ** 31);

/** The hash with one more byte. */
export const hashByte = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);

function hashOf(source: Uint8Array, start: number, end: number): number {
  let hash = HASH_SEED;
  for (let i = start; i < end; i += 1) hash = hashByte(hash, source[i]!);
  return hash;
}

/** Millions of short strings without an object for each: one block of bytes and one of slots. */
export function createByteTable(): ByteTable {
  let size = 0;
  let content = new Uint8Array(256);
  let ends = new Uint32Array(32);
  let hashes = new Int32Array(32);
  /** Number + 1 of the string in this slot; always at most half full. */
  let slots = new Uint32Array(64);

  const startOf = (number: number): number => (number === 0 ? 0 : ends[number - 1]!);

  /** The lower bits alone would leave out what the first letters said. */
  const firstSlot = (hash: number): number =>
    (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 8) & (slots.length - 1);

  function isAt(number: number, source: Uint8Array, start: number, end: number): boolean {
    const from = number === 0 ? 0 : ends[number - 1]!;
    if (ends[number]! - from !== end - start) return false;
    const known = content;
    for (let i = start, at = from; i < end; i += 1, at += 1) if (known[at] !== source[i]) return false;
    return true;
  }

  /** The slot of the string, or the free one where it belongs. */
  function slotOf(hash: number, source: Uint8Array, start: number, end: number): number {
    const table = slots;
    const mask = table.length - 1;
    let slot = firstSlot(hash);
    for (let held = table[slot]!; held !== 0; held = table[slot]!) {
      if (hashes[held - 1] === hash && isAt(held - 1, source, start, end)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  function makeRoom(length: number): void {
    const used = startOf(size);
    if (used + length > content.length)
      content = copyInto(new Uint8Array(Math.max(content.length * 2, used + length)), content);
    if (size === ends.length) {
      ends = copyInto(new Uint32Array(size * 2), ends);
      hashes = copyInto(new Int32Array(size * 2), hashes);
    }
    if (size * 2 < slots.length) return;
    slots = new Uint32Array(slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < size; number += 1) {
      let slot = firstSlot(hashes[number]!);
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
  }

  return {
    get size() {
      return size;
    },
    get bytes() {
      return content.length + (ends.length + hashes.length + slots.length) * 4;
    },
    add(source, start, end, hash = hashOf(source, start, end)) {
      const slot = slotOf(hash, source, start, end);
      const known = slots[slot]!;
      if (known !== 0) return known - 1;
      makeRoom(end - start);
      const at = startOf(size);
      content.set(source.subarray(start, end), at);
      ends[size] = at + end - start;
      hashes[size] = hash;
      slots[slotOf(hash, source, start, end)] = size + 1;
      size += 1;
      return size - 1;
    },
    find: (source) => slots[slotOf(hashOf(source, 0, source.length), source, 0, source.length)]! - 1,
    read: (number) => content.subarray(startOf(number), ends[number]),
    beginsWith(number, beginning) {
      const start = startOf(number);
      if (ends[number]! - start < beginning.length) return false;
      for (let i = 0; i < beginning.length; i += 1) if (content[start + i] !== beginning[i]) return false;
      return true;
    },
  };
}

function copyInto<T extends Uint8Array | Uint32Array | Int32Array>(target: T, source: T): T {
  target.set(source);
  return target;
}
