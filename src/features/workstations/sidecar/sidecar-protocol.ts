import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '../../../kernel/is-object.js';

/** The service's side of the desk protocol. The desk's side is `sidecar/src/protocol.ts`. */

export const NONCE_HEADER = 'x-guildhall-nonce';
export const PROOF_HEADER = 'x-guildhall-proof';
export const MESSAGE_LIMIT_BYTES = 64 * 1024;
export const CHECK_TIMEOUT_MS = 5_000;

export const ISOLATIONS = ['namespace', 'user', 'none'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

export interface CredentialReport {
  runtime: string;
  state: 'ok' | 'expired';
  checkedAt: Date | null;
}

/** The health report of a desk, reduced to values that can be stored. */
export interface HealthReport {
  envId: string;
  installationId: string | null;
  version: string | null;
  codeDigest: string | null;
  building: boolean;
  pendingSyncCount: number;
  credentials: CredentialReport[];
  /** How the desk isolates builds from its machine, or null when missing or unknown. */
  isolation: Isolation | null;
  updateFailure: { codeDigest: string; error: string } | null;
}

export interface UpdateOrder {
  version: string;
  url: string;
  code_digest: string;
  /** Grows with every order. A desk refuses an order that is not above the last one. */
  sequence: number;
}

/** The key is the token's SHA-256 in hex, as text. The database holds it sealed. */
export const prove = (tokenHash: string, message: string): string =>
  createHmac('sha256', tokenHash).update(message).digest('hex');

export function isProof(given: unknown, tokenHash: string, message: string): boolean {
  if (typeof given !== 'string' || !/^[0-9a-f]{64}$/i.test(given)) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(prove(tokenHash, message), 'hex'));
}

const MOST_CREDENTIALS = 32;
const MOST_PENDING = 2_147_483_647;

/** Undefined when the response does not come from a sidecar. */
export function parseHealth(body: string): HealthReport | undefined {
  const data = parseObject(body);
  const envId = data && cleanText(data['env_id'], 64);
  if (!data || !envId) return undefined;
  const version = cleanText(data['version'], 100);
  return {
    envId: envId.toLowerCase(),
    installationId: cleanText(data['installation_id'], 200),
    version,
    codeDigest: reportsDigest(version) ? cleanText(data['code_digest'], 200) : null,
    building: data['building'] === true,
    pendingSyncCount: readCount(data['pending_sync_count']),
    credentials: readCredentials(data['credentials']),
    isolation: ISOLATIONS.find((known) => known === data['isolation']) ?? null,
    updateFailure: readFailure(data['update_failure']),
  };
}

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function cleanText(value: unknown, longest: number): string | null {
  if (typeof value !== 'string' || value === '' || value.length > longest) return null;
  return value.includes('\0') || !value.isWellFormed() ? null : value;
}

const readCount = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? Math.min(value, MOST_PENDING) : 0;

function readCredentials(value: unknown): CredentialReport[] {
  if (!Array.isArray(value)) return [];
  const byRuntime = new Map<string, CredentialReport>();
  for (const item of value.slice(0, MOST_CREDENTIALS)) {
    const runtime = isObject(item) ? cleanText(item['runtime'], 64) : null;
    if (!runtime || (item.state !== 'ok' && item.state !== 'expired')) continue;
    byRuntime.set(runtime, { runtime, state: item.state, checkedAt: readInstant(item.checked_at) });
  }
  return [...byRuntime.values()].sort((a, b) => (a.runtime < b.runtime ? -1 : 1));
}

function readInstant(value: unknown): Date | null {
  if (typeof value !== 'string' || value.length > 40) return null;
  const instant = new Date(value);
  const year = instant.getUTCFullYear();
  return year >= 1970 && year < 10_000 ? instant : null;
}

function readFailure(value: unknown): HealthReport['updateFailure'] {
  if (!isObject(value)) return null;
  const codeDigest = cleanText(value['code_digest'], 200);
  return codeDigest
    ? { codeDigest, error: cleanText(value['error'], 500) ?? 'The desk could not be updated' }
    : null;
}

/** The code digest is meaningful from this version on. */
const FIRST_WITH_DIGEST = '0.2.10';

interface Version {
  numbers: number[];
  preRelease: boolean;
}

function readVersion(text: string): Version | undefined {
  const parts = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[^+]*)?(?:\+.*)?$/.exec(text);
  if (!parts) return undefined;
  return { numbers: parts.slice(1, 4).map((part) => Number(part ?? 0)), preRelease: parts[4] !== undefined };
}

/** An unreadable version counts as new enough. */
function reportsDigest(version: string | null): boolean {
  const found = version === null ? undefined : readVersion(version);
  const first = readVersion(FIRST_WITH_DIGEST)!;
  if (!found) return true;
  const at = found.numbers.findIndex((number, index) => number !== first.numbers[index]);
  return at === -1 ? !found.preRelease : found.numbers[at]! > first.numbers[at]!;
}
