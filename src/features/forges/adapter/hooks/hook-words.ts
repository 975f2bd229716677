/** The headers of a delivery, each once. */
export type HookHeaders = (name: string) => string | undefined;

/** What a delivery says should be asked about. It is believed in nothing else. */
export interface HookNews {
  pulls: number[];
  shas: string[];
  issues: boolean;
}

/** How the hooks of one kind of host speak. */
export interface HookReader {
  /** A secret told as it is, or the signature of the body with it. */
  proof: 'token' | 'signature';
  /** What makes a delivery the same as before; undefined where the host does not tell. */
  idOf(headers: HookHeaders): string | undefined;
  eventOf(headers: HookHeaders): string | undefined;
  /** By the event: what its body names. An event that is not there is one that nobody needs. */
  find(event: string): ((body: Loose) => Named) | undefined;
}

/** What a body names, as it came: nobody has judged it yet. */
export interface Named {
  pulls?: unknown[];
  shas?: unknown[];
  issues?: boolean;
}

/** A value of a body that somebody else wrote: whatever is asked of it may not be there. */
export interface Loose {
  at(...path: string[]): Loose;
  each(): Loose[];
  readonly value: unknown;
}

const MOST_NAMED = 100;
const LARGEST_NUMBER = 2_147_483_647;

export function loose(value: unknown): Loose {
  return {
    value,
    at: (...path) => loose(path.reduce(step, value)),
    each: () => (Array.isArray(value) ? value.slice(0, MOST_NAMED).map(loose) : []),
  };
}

const step = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Null where it names nothing that can be asked about. */
export function readNews({ pulls = [], shas = [], issues = false }: Named): HookNews | null {
  const news = {
    pulls: [...new Set(pulls.filter(isNumber))].slice(0, MOST_NAMED),
    shas: [...new Set(shas.filter(isSha).map((sha) => sha.toLowerCase()))].slice(0, MOST_NAMED),
    issues,
  };
  return news.pulls.length > 0 || news.shas.length > 0 || issues ? news : null;
}

const isNumber = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= LARGEST_NUMBER;

const isSha = (value: unknown): value is string =>
  typeof value === 'string' && /^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(value);
