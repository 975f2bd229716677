import { setTimeout as pause } from 'node:timers/promises';
import { endsWithin, newAbort } from '../../../kernel/async.js';
import { type Clock, secondsFrom } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { inBackground } from '../../../platform/database/connection/pools.js';
import type { Db } from '../../../platform/database/database.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import { signMessage } from '../subscriptions/subscriptions.service.js';
import { createAttemptWriter } from './attempt-writer.js';
import { type Claim, dispatchStore } from './dispatch.store.js';
import { createReceiverLimits } from './receiver-limits.js';
import type { Outcome, Sender } from './sender.js';

/** Longer than an attempt and storing its result can take. */
const LEASE_SECONDS = 20;
/** Polls, because no notification is sent when a retry becomes due. */
const CLAIM_EVERY_MS = 1000;
const STOP_MS = 2000;
/** One claim costs the same for many messages; with many already waiting, a shorter wait is enough. */
const GATHER_MS = 25;
const GATHER_FULL_MS = 10;
/** Limit of answered deliveries whose results are not stored yet; above it no new ones are claimed. */
const MOST_IN_FLIGHT = 1000;

export interface DispatcherOptions {
  db: Db;
  clock: Clock;
  log: Log;
  secrets: SecretBox;
  sender: Sender;
  userAgent: string;
}

export function createDispatcher({ db, clock, log, secrets, sender, userAgent }: DispatcherOptions) {
  const limits = createReceiverLimits();
  const write = createAttemptWriter({ db, clock });
  const store = dispatchStore(db);
  const inFlight = new Map<string, Promise<boolean | undefined>>();
  let stopping = newAbort();
  let timer: NodeJS.Timeout | undefined;
  let isOpen = false;
  /** True when a delivery may have waited for capacity since the last claim. */
  let mayWait = false;
  let claiming: Promise<number> | undefined;
  let willClaim = false;

  /** Frees the receiver's capacity after the answer, but the delivery stays claimed until its result is stored. */
  async function send(claim: Claim): Promise<boolean | undefined> {
    const at = clock.now();
    const outcome = await limits.run(claim.webhook_id, () => post(claim, at));
    if (mayWait) wake();
    if (!outcome) {
      await store.release([claim]);
      return undefined;
    }
    await write({ claim, at, outcome });
    return outcome.error === null;
  }

  async function post(claim: Claim, at: Date): Promise<Outcome | undefined> {
    const { event_id: id, url, body } = claim;
    const timestamp = Math.floor(at.getTime() / 1000);
    let signature: string;
    try {
      signature = signMessage(secrets, claim, { id, timestamp, body }, at);
    } catch (error) {
      log.error({ err: error, webhook: claim.webhook_id }, 'The secret of a webhook cannot be opened');
      return { status: null, error: 'The message could not be signed', milliseconds: 0 };
    }
    return sender.post({
      url,
      body,
      signal: stopping.signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      },
    });
  }

  function begin(claim: Claim): void {
    const { delivery_id: id } = claim;
    const sending = send(claim)
      .catch((error: unknown) => {
        // It is sent again when the claim expires.
        log.error({ err: error, delivery: id }, 'The result of a delivery could not be recorded');
        return undefined;
      })
      .finally(() => inFlight.delete(id));
    inFlight.set(id, sending);
  }

  async function claimDue(dueBy: Date): Promise<number> {
    const capacity = limits.capacity();
    mayWait = true;
    if (capacity.total <= 0 || inFlight.size >= MOST_IN_FLIGHT || stopping.signal.aborted) return 0;
    const lease = secondsFrom(clock.now(), LEASE_SECONDS);
    const claims = await store.claim(dueBy, lease, capacity, [...inFlight.keys()]);
    for (const claim of claims) begin(claim);
    mayWait = limits.isFull();
    return claims.length;
  }

  function claimInTurn(dueBy: Date): Promise<number> {
    const turn = (claiming ?? Promise.resolve(0)).catch(() => 0).then(() => claimDue(dueBy));
    claiming = turn;
    return turn;
  }

  function wake(): void {
    if (!isOpen || willClaim) return;
    willClaim = true;
    void inBackground(async () => {
      try {
        await claiming?.catch(() => 0);
        await pause(mayWait ? GATHER_FULL_MS : GATHER_MS);
        willClaim = false;
        await claimInTurn(clock.now());
      } catch (error) {
        willClaim = false;
        log.error({ err: error }, 'Webhooks could not be looked through');
      }
    });
  }

  return {
    wake,

    async deliverDue(signal: AbortSignal): Promise<JobResult> {
      const result: JobResult = { processed: 0, failed: 0 };
      const dueBy = clock.now();
      const counted = new Set<Promise<unknown>>();
      const count = async (sending: Promise<boolean | undefined>) => {
        if (counted.has(sending)) return;
        counted.add(sending);
        const delivered = await sending;
        if (delivered) result.processed += 1;
        else if (delivered === false) result.failed += 1;
      };
      // Stops after two empty claims in a row, since deliveries in flight may free capacity in between.
      for (let empty = 0; empty < 2 && !signal.aborted; ) {
        const claimed = await claimInTurn(dueBy);
        empty = claimed === 0 ? empty + 1 : 0;
        await Promise.all([...inFlight.values()].map(count));
      }
      return result;
    },

    start(): void {
      stopping = newAbort();
      isOpen = true;
      timer = setInterval(wake, CLAIM_EVERY_MS);
      timer.unref();
      wake();
    },

    /** Waits a moment for messages in flight, then releases the others for other nodes. */
    async stop(): Promise<void> {
      clearInterval(timer);
      isOpen = false;
      const ended = () => Promise.all(inFlight.values());
      if (!(await endsWithin(STOP_MS, ended()))) {
        stopping.abort();
        await endsWithin(STOP_MS, ended());
      }
      stopping.abort();
      sender.close();
    },
  };
}
