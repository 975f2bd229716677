/** The desk's side of the protocol; the service's side is `sidecar-protocol.ts` of its workstations. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const SIDECAR_VERSION = '0.8.0';

export const NONCE_HEADER = 'x-guildhall-nonce';
export const PROOF_HEADER = 'x-guildhall-proof';

export const HEALTH_PATH = '/health';
export const UPDATE_PATH = '/update';

/** Limit for both the answers that the service reads and the orders that a desk reads. */
export const MESSAGE_LIMIT_BYTES = 64 * 1024;

/**
 * `namespace`: own user, and own view of processes and files. `user`: own user only, because the kernel
 * allows no more. `none`: the sidecar is not root, as on a trial desk.
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
  /** How builds are isolated; absent on sidecars without builds. */
  isolation: Isolation;
  /** The last failed update; absent when no update has failed since. */
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
  /** Increases with each order, so that a recorded order cannot be replayed. */
  sequence: number;
}

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

/** The service stores only the token's SHA-256, so both sides use it as the key. */
export const proofKey = (token: string): string => sha256(token);

export const prove = (key: string, message: string | Uint8Array): string =>
  createHmac('sha256', key).update(message).digest('hex');

export function isProof(given: unknown, key: string, message: string | Uint8Array): boolean {
  if (typeof given !== 'string' || !/^[0-9a-f]{64}$/.test(given)) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(prove(key, message), 'hex'));
}

export const isNonce = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
