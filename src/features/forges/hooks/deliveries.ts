import { isUtf8 } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isOneOfSecrets, randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import {
  findEvent,
  findHeader,
  type HookHeaders,
  type HookNews,
  type HookReader,
} from '../adapter/hook-readers.js';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;
const LONGEST_TOKEN = 1000;
/** Parsing more would block the process for too long; most deliveries have a tenth of it. */
export const LARGEST_PARSED = 256 * 1024;
const LONGEST_ID = 200;

/** How a delivery proves that it knows the secret. */
export interface Proof {
  signature: Buffer | undefined;
  token: string | undefined;
}

/** Undefined when it has no well-formed proof, so nothing more of it is read. */
export function readProof(headers: HookHeaders): Proof | undefined {
  const written = SIGNATURE.exec(headers('x-hub-signature-256') ?? '')?.[1];
  const token = headers('x-gitlab-token');
  const proof = {
    signature: written === undefined ? undefined : Buffer.from(written, 'hex'),
    token: token !== undefined && token !== '' && token.length <= LONGEST_TOKEN ? token : undefined,
  };
  return proof.signature || proof.token ? proof : undefined;
}

/** Verifies a body while it arrives, with each of the secrets. Without secrets it does the same work and never succeeds. */
export function createVerifier(
  { signature, token }: Proof,
  secrets: readonly string[],
  proof: HookReader['proof'],
) {
  const tried = secrets.length > 0 ? secrets : [randomSecret()];
  const hmacs = tried.map((secret) => createHmac('sha256', secret));
  return {
    update(chunk: Buffer): void {
      for (const hmac of hmacs) hmac.update(chunk);
    },

    isVerified(): boolean {
      const given = signature ?? Buffer.alloc(32);
      const isSigned = hmacs.map((hmac) => timingSafeEqual(hmac.digest(), given)).includes(true);
      const hasToken = isOneOfSecrets(token ?? '', tried);
      return secrets.length > 0 && (proof === 'token' ? hasToken : isSigned && signature !== undefined);
    },
  };
}

export interface ReadDelivery {
  id: string;
  about: HookNews | null;
  /** Too long to parse, so the whole project is asked about. */
  asksAll: boolean;
}

export function readDelivery(reader: HookReader, headers: HookHeaders, body: Buffer): ReadDelivery {
  const id = nameDelivery(findHeader(headers, reader.idHeaders), body);
  const readEvent = findEvent(reader, findHeader(headers, reader.eventHeaders) ?? '');
  if (!readEvent) return { id, about: null, asksAll: false };
  if (body.length > LARGEST_PARSED) {
    const isOfIssues = readEvent(undefined)?.issues === true;
    return { id, about: { pulls: [], shas: [], issues: isOfIssues }, asksAll: true };
  }
  const value = parse(headers('content-type'), body);
  return { id, about: value === undefined ? null : readEvent(value), asksAll: false };
}

const nameDelivery = (given: string | undefined, body: Buffer): string => {
  if (given === undefined || given === '') return `sha256:${sha256Hex(body)}`;
  return given.length > LONGEST_ID ? `sha256:${sha256Hex(given)}` : given;
};

/** JSON, or the field of a form that holds JSON; undefined for anything else. */
function parse(contentType: string | undefined, body: Buffer): unknown {
  if (!isUtf8(body)) return undefined;
  const text = body.toString();
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType ?? '');
  try {
    return JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
  } catch {
    return undefined;
  }
}
