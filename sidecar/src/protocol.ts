/** The desk's side of what it and the service say to each other; the service's side is `sidecar-protocol.ts` of its workstations. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const SIDECAR_VERSION = '0.7.0';

export const NONCE_HEADER = 'x-guildhall-nonce';
export const PROOF_HEADER = 'x-guildhall-proof';

export const HEALTH_PATH = '/health';
export const UPDATE_PATH = '/update';

/** The largest answer the service reads and the largest order a desk reads. */
export const MESSAGE_LIMIT_BYTES = 64 * 1024;

/**
 * `namespace`: an own user, and an own view of processes and files. `user`: an own user, as the kernel allows no more.
 * `none`: the sidecar is not root, as on a desk for trying things out.
 */
export type Isolation = 'namespace' | 'user' | 'none';

export interface CredentialState {
  runtime: string;
  state: 'ok' | 'expired';
  checked_at: string;
}

export interface Health {
  env_id: string;
  installation_id: string;
  version: string;
  code_digest: string | null;
  building: boolean;
  credentials: CredentialState[];
  pending_sync_count: number;
  /** How far builds are kept from the machine; absent on sidecars that know no builds. */
  isolation: Isolation;
  /** The last update that did not work out; absent when there was none since. */
  update_failure?: UpdateFailure;
}

export interface UpdateFailure {
  code_digest: string;
  error: string;
}

export interface UpdateOrder {
  version: string;
  url: string;
  code_digest: string;
  /** Grows from order to order, so that one that was overheard cannot be given again. */
  sequence: number;
}

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

/** The service keeps only the token's SHA-256, so that is the key both ends have. */
export const proofKey = (token: string): string => sha256(token);

export const prove = (key: string, message: string | Uint8Array): string =>
  createHmac('sha256', key).update(message).digest('hex');

export function isProof(given: unknown, key: string, message: string | Uint8Array): boolean {
  if (typeof given !== 'string' || !/^[0-9a-f]{64}$/.test(given)) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(prove(key, message), 'hex'));
}

export const isNonce = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
