import { randomFillSync } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

const MAX_POSTGRES_INTEGER = 2_147_483_647;

/** The integer that a path segment spells, or undefined when it is none that could be an id. */
export function parseIntegerId(text: string): number | undefined {
  if (!/^[1-9]\d{0,9}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= MAX_POSTGRES_INTEGER ? value : undefined;
}

const ID_BYTES = 16;
/** Asking the system for randomness costs more than an id: it is asked once for many. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** A UUID version 7: ordered by creation, so that indexes grow at their end. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, used + ID_BYTES);
  used += ID_BYTES;
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return spell(bytes);
}

const DIGITS = Buffer.from('0123456789abcdef');
/** Where the two digits of each byte stand, between the hyphens. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const letters = Buffer.alloc(36, '-');

/** In one piece: a text that is put together of parts keeps all of them, four times the memory. */
function spell(bytes: Buffer): string {
  for (let index = 0; index < ID_BYTES; index++) {
    const byte = bytes[index]!;
    const place = PLACES[index]!;
    letters[place] = DIGITS[byte >> 4]!;
    letters[place + 1] = DIGITS[byte & 15]!;
  }
  return letters.toString('latin1');
}
