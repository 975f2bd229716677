import type { Clock } from '../../kernel/clock.js';

/** How a part of the outside world last did what it was asked. */
export interface Outcomes {
  /** Undefined: not since the node was started. */
  readonly succeededAt: Date | undefined;
  readonly failedAt: Date | undefined;
}

/** What is said of a part that nobody has asked yet. */
const NEVER_ASKED: Outcomes = { succeededAt: undefined, failedAt: undefined };

const watched = new WeakMap<object, Outcomes>();

/** The same part, and from now on it is known when these of its calls last went well and when they did not. */
export function watchOutcomes<Part extends object>(
  part: Part,
  calls: readonly (keyof Part)[],
  clock: Clock,
): Part {
  const outcomes: { -readonly [At in keyof Outcomes]: Outcomes[At] } = { ...NEVER_ASKED };
  const watch =
    (call: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]) => {
      try {
        const answer = await call.apply(part, args);
        outcomes.succeededAt = clock.now();
        return answer;
      } catch (error) {
        // Whoever no longer wants the answer says nothing about the part.
        if ((error as Error | undefined)?.name !== 'AbortError') outcomes.failedAt = clock.now();
        throw error;
      }
    };
  const replaced = new Map<PropertyKey, unknown>(
    calls.map((name) => [name, watch(part[name] as Parameters<typeof watch>[0])]),
  );
  const proxy = new Proxy(part, {
    get: (target, name) => (replaced.has(name) ? replaced.get(name) : Reflect.get(target, name, target)),
    set: (target, name, value) =>
      replaced.has(name) ? Boolean(replaced.set(name, value)) : Reflect.set(target, name, value, target),
  });
  watched.set(proxy, outcomes);
  return proxy;
}

/** Of a part that is watched. */
export const outcomesOf = (part: object | undefined): Outcomes => (part && watched.get(part)) || NEVER_ASKED;
