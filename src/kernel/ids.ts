import { randomFillSync } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

const MAX_POSTGRES_INTEGER = 2_147_483_647;

/** Returns undefined when the path segment cannot be an integer id. */
export function parseIntegerId(text: string): number | undefined {
  if (!/^[1-9]\d{0,9}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= MAX_POSTGRES_INTEGER ? value : undefined;
}

const ID_BYTES = 16;
/** Filled for 256 ids at once, because a request for random bytes costs more than an id. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/**
 * Creates a UUID version 7. These are ordered by creation time, so that database indexes grow at their end.
 */
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
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
