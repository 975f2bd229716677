import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';

export const sha256Hex = (text: string | Uint8Array): string => hash('sha256', text, 'hex');

export const randomSecret = (bytes = 32): string => randomBytes(bytes).toString('base64url');

const checksum = (text: string): string => sha256Hex(text).slice(0, 8);

const TOKEN = /^([a-z_]+_)([A-Za-z0-9-]{32,64})_([0-9a-f]{8})$/;

/**
 * Format: `<prefix><random>_<checksum>`. The checksum detects typos and truncated tokens without a database
 * query.
 */
export function newToken(prefix: `guild_${string}_`): string {
  const random = randomSecret(30).replaceAll('_', '-');
  return `${prefix}${random}_${checksum(prefix + random)}`;
}

export function isWellFormedToken(prefix: string, token: string): boolean {
  const parts = TOKEN.exec(token);
  return parts !== null && parts[1] === prefix && checksum(parts[1] + parts[2]!) === parts[3];
}

/** Compares with every secret, so that timing reveals neither which one matched nor how much of it. */
export function isOneOfSecrets(given: string, expected: readonly string[]): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const found = digest(given);
  return expected.map((each) => timingSafeEqual(found, digest(each))).includes(true);
}
