import { createHmac, randomInt, randomUUID } from 'node:crypto';

/** A probability from 0 to 1, or always or never. */
type Chance = boolean | number;

export interface HostFaults {
  /** Accepts calls and never answers. */
  hang?: Chance;
  status?: number;
  /** Probability of `status`; always by default. */
  statusChance?: Chance;
  rateLimited?: { retryAfter: number; chance?: Chance };
  /** Performs calls and closes the connection before the answer. */
  loseAnswers?: Chance;
  dropHooks?: Chance;
  doubleHooks?: Chance;
  /** Delays deliveries so that later ones overtake them. */
  reorderHooks?: Chance;
  /** Sends a copy with a wrong signature before each delivery. */
  forgeHooks?: Chance;
  mayNotPush?: boolean;
  /** The token can push but not open a pull request. */
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
/** Maximum delay for reordered deliveries. */
const LONGEST_DETOUR_MS = 300;

/** Sends webhooks like GitHub: signed, and only once even if the delivery fails. */
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
      // Like GitHub, does not retry; the listener can query the state.
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
    send(event: string, payload: unknown) {
      const work = deliver(event, payload).finally(() => underWay.delete(work));
      underWay.add(work);
    },
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    stop: () => stopping.abort(),
  };
}
