import { createHmac, randomInt, randomUUID } from 'node:crypto';

/** Always, never, or so often: 0.25 is every fourth time. */
type Chance = boolean | number;

/** What goes wrong, as long as a test says so. */
export interface HostFaults {
  /** Calls are taken and never answered. */
  hang?: Chance;
  /** Calls are answered with this status. */
  status?: number;
  /** How often, where a status is set; always unless said. */
  statusChance?: Chance;
  /** Calls are answered with 429. */
  rateLimited?: { retryAfter: number; chance?: Chance };
  /** Calls are done, and the connection ends before the answer. */
  loseAnswers?: Chance;
  dropHooks?: Chance;
  doubleHooks?: Chance;
  /** Deliveries come a while later, so that others overtake them. */
  reorderHooks?: Chance;
  /** Before each delivery comes the same with a wrong signature. */
  forgeHooks?: Chance;
  /** The token may read and not push. */
  mayNotPush?: boolean;
  /** The token may push and open no pull request. */
  mayNotOpen?: boolean;
}

export function happens(chance: Chance | undefined): boolean {
  if (typeof chance !== 'number') return chance === true;
  return randomInt(1_000_000) < chance * 1_000_000;
}

export interface Hook {
  url: string;
  secret: string;
}

const LIMIT_MS = 10_000;
/** Deliveries that are held back so that others overtake them wait no longer than this. */
const LONGEST_DETOUR_MS = 300;

/** Tells a listener what happened, as GitHub does: signed, once, and not again when nobody listened. */
export function createHookSender(faults: HostFaults) {
  let hook: Hook | undefined;
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function post(event: string, delivery: string, body: string, signature: string): Promise<void> {
    if (!hook) return;
    try {
      const answer = await fetch(hook.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'GitHub-Hookshot/simulated',
          'x-github-event': event,
          'x-github-delivery': delivery,
          'x-hub-signature-256': signature,
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(LIMIT_MS)]),
      });
      await answer.body?.cancel();
    } catch {
      // Nobody listened, and that is that: what happened can be asked for.
    }
  }

  const sign = (secret: string, body: string) =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

  async function deliver(event: string, payload: unknown): Promise<void> {
    if (!hook) return;
    const body = JSON.stringify(payload);
    const delivery = randomUUID();
    if (happens(faults.forgeHooks)) await post(event, randomUUID(), body, sign('not the secret', body));
    if (happens(faults.dropHooks)) return;
    if (happens(faults.reorderHooks))
      await new Promise((resolve) => setTimeout(resolve, randomInt(LONGEST_DETOUR_MS)));
    const signature = sign(hook.secret, body);
    await post(event, delivery, body, signature);
    if (happens(faults.doubleHooks)) await post(event, delivery, body, signature);
  }

  return {
    set(chosen: Hook | undefined) {
      hook = chosen;
    },
    /** Without anybody waiting for it. */
    tell(event: string, payload: unknown) {
      const work = deliver(event, payload).finally(() => underWay.delete(work));
      underWay.add(work);
    },
    /** Until nothing is on its way any more. */
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    stop: () => stopping.abort(),
  };
}
