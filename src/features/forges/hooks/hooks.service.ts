import { isUtf8 } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { networkOf } from '../../../kernel/addresses.js';
import { MINUTE } from '../../../kernel/clock.js';
import { isUuid } from '../../../kernel/ids.js';
import { isOneOfSecrets, randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import {
  findEvent,
  findHeader,
  HOOK_READERS,
  type HookHeaders,
  type HookNews,
  type HookReader,
} from '../adapter/hook-readers.js';
import { openHookSecrets } from '../connection/forge-access.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { deliveryRefused, tooMuchAtOnce } from '../forges.errors.js';
import { SYNC_JOB } from '../pull-requests/forge-sync.js';
import { deliveryStore, findHookedForge, type HookedForge } from '../pull-requests/forge-sync.store.js';

const NO_PROJECT = '00000000-0000-0000-0000-000000000000';
/** Per project and node; above it, a full sync of the project is requested once. */
const MOST_A_MINUTE = 600;

export interface Delivery {
  projectId: string;
  headers: Record<string, string | string[] | undefined>;
  bytes: AsyncIterable<Buffer>;
  clientAddress: string;
}

export type HookService = ReturnType<typeof createHookService>;

/** A delivery is verified and recorded here; a background job does everything else. */
export function createHookService({
  db,
  clock,
  secrets,
  jobs,
}: Pick<ForgeOptions, 'db' | 'clock' | 'secrets' | 'jobs'>) {
  const held = createUnverifiedBytes();
  const counted = { minute: 0, deliveries: new Map<string, number>() };

  function count(projectId: string, now: Date): number {
    const minute = Math.floor(now.getTime() / 1000 / MINUTE);
    if (counted.minute !== minute) {
      counted.minute = minute;
      counted.deliveries.clear();
    }
    const count = (counted.deliveries.get(projectId) ?? 0) + 1;
    counted.deliveries.set(projectId, count);
    return count;
  }

  /** Returns the body once its signature is verified. Without a valid proof the body is discarded. */
  async function readSigned(
    delivery: Delivery,
    headers: HookHeaders,
    forge: HookedForge | undefined,
  ): Promise<Buffer> {
    const proof = readProof(headers);
    if (!proof) throw deliveryRefused();
    const known = forge ? openHookSecrets(secrets, forge, clock.now()) : [];
    const verifier = createVerifier(proof, known, HOOK_READERS[forge?.kind ?? 'github'].proof);
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of delivery.bytes) {
        verifier.update(chunk);
        // Counted for every project alike, so that a rejection does not reveal which of them have a webhook.
        held.hold(delivery, chunk.length);
        size += chunk.length;
        if (known.length > 0) chunks.push(chunk);
      }
      if (!verifier.isVerified()) throw deliveryRefused();
      return Buffer.concat(chunks);
    } finally {
      held.release(delivery, size);
    }
  }

  async function note(
    { project_id: projectId, brand_id: brandId }: HookedForge,
    read: ReadDelivery,
  ): Promise<void> {
    const now = clock.now();
    const beyond = count(projectId, now) - MOST_A_MINUTE;
    if (beyond > 1) return;
    await inTransaction(db, async (tx) => {
      const store = deliveryStore(tx, brandId);
      const asksAll = read.asksAll || beyond === 1;
      if (!(await store.noteDelivery(projectId, now, asksAll))) throw deliveryRefused();
      const isNew = await store.add(projectId, read.id, read.about, now);
      if (isNew && read.about) await jobs.trigger(tx, SYNC_JOB);
    });
  }

  return {
    async receive(delivery: Delivery): Promise<void> {
      const headers: HookHeaders = (name) => [delivery.headers[name]].flat()[0];
      if (!readProof(headers)) throw deliveryRefused();
      const projectId = isUuid(delivery.projectId) ? delivery.projectId : NO_PROJECT;
      const forge = await findHookedForge(db, projectId);
      const body = await readSigned(delivery, headers, forge);
      if (!forge) throw deliveryRefused();
      const read = readDelivery(HOOK_READERS[forge.kind], headers, body);
      const wanted = read.about?.issues && forge.issues_label === null ? withoutIssues(read) : read;
      await note(forge, wanted);
    },
  };
}

function withoutIssues(read: ReadDelivery): ReadDelivery {
  const { pulls = [], shas = [] } = read.about ?? {};
  const isEmpty = pulls.length === 0 && shas.length === 0;
  return {
    ...read,
    about: isEmpty ? null : { pulls, shas, issues: false },
    asksAll: read.asksAll && !isEmpty,
  };
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;
const LONGEST_TOKEN = 1000;
/** Parsing more would block the process for too long; most deliveries have a tenth of this size. */
export const LARGEST_PARSED = 256 * 1024;
const LONGEST_ID = 200;

export interface Proof {
  signature: Buffer | undefined;
  token: string | undefined;
}

/** Undefined if there is no well-formed proof; the body is then not read. */
export function readProof(headers: HookHeaders): Proof | undefined {
  const written = SIGNATURE.exec(headers('x-hub-signature-256') ?? '')?.[1];
  const token = headers('x-gitlab-token');
  const proof = {
    signature: written === undefined ? undefined : Buffer.from(written, 'hex'),
    token: token !== undefined && token !== '' && token.length <= LONGEST_TOKEN ? token : undefined,
  };
  return proof.signature || proof.token ? proof : undefined;
}

/** Without secrets it does the same work and never succeeds, so that timing reveals nothing. */
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
  /** Too long to parse, so the whole project is synced. */
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

const MEBIBYTE = 1024 * 1024;
const MOST_AT_ONCE = 64 * MEBIBYTE;

export interface DeliverySource {
  projectId: string;
  clientAddress: string;
}

/**
 * Limits the memory of unverified deliveries to a quarter per project, half of that from one network. A
 * network may use a quarter and never more than is still free, so that others always have space.
 */
export function createUnverifiedBytes({ most = MOST_AT_ONCE } = {}) {
  const held = new Map<string, number>();
  let all = 0;

  const keysOf = ({ projectId, clientAddress }: DeliverySource) => {
    const network = networkOf(clientAddress);
    return { network, project: projectId, both: `${projectId} ${network}` };
  };
  const of = (key: string) => held.get(key) ?? 0;
  const add = (key: string, size: number) => {
    const rest = of(key) + size;
    if (rest > 0) held.set(key, rest);
    else held.delete(key);
  };

  return {
    hold(source: DeliverySource, size: number): void {
      const { network, project, both } = keysOf(source);
      const share = Math.min(most / 4, most - all - size);
      if (of(network) + size > share || of(project) + size > most / 4 || of(both) + size > most / 8)
        throw tooMuchAtOnce();
      all += size;
      for (const key of [network, project, both]) add(key, size);
    },

    release(source: DeliverySource, size: number): void {
      const { network, project, both } = keysOf(source);
      all -= size;
      for (const key of [network, project, both]) add(key, -size);
    },

    total: () => all,
  };
}
