const MASK = '[secret]';
const SHORTEST = 8;
/**
 * A line is passed on without waiting for the next one, so this many characters of a secret may appear at its
 * end.
 */
const SEEN_AT_MOST = 6;

export interface Secret {
  name: string;
  value: string;
}

/** Finds and masks secrets in the encodings that programs commonly print. */
export type Secrets = ReturnType<typeof createSecrets>;

export function createSecrets(all: Secret[]) {
  const machine = createMachine(all.filter(({ value }) => value.length >= SHORTEST));

  /** Filters a stream; holds back text that may be the start of a secret. */
  function createFilter() {
    /** Text not passed on yet, and the positions of its characters that count. */
    let held = '';
    let counted: number[] = [];
    let state = 0;

    function give(end: number, spans: [number, number][]): string {
      let text = '';
      let from = 0;
      for (const [start, stop] of spans) {
        text += held.slice(from, start) + MASK;
        from = stop;
      }
      text += held.slice(Math.min(from, end), end);
      held = held.slice(Math.max(end, from));
      return text;
    }

    return {
      pass(piece: string): string {
        if (machine === undefined) return piece;
        const begin = held.length;
        held += piece;
        const spans: [number, number][] = [];
        for (let at = begin; at < held.length; at += 1) {
          const code = held.charCodeAt(at);
          if (state === 0 && !machine.begins(code)) continue;
          if (isLineEnd(code)) continue;
          state = machine.next(state, code);
          if (state === 0) counted.length = 0;
          else counted.push(at);
          const length = machine.matchAt(state);
          if (length === 0) continue;
          // Text that was already passed on cannot be masked.
          addSpan(spans, counted[Math.max(0, counted.length - length)]!, at + 1);
        }
        let wait = machine.depthOf(state);
        const isWholeLine = isLineEnd(held.charCodeAt(held.length - 1));
        if (isWholeLine && wait <= SEEN_AT_MOST) wait = 0;
        const free = wait === 0 ? held.length : (counted.at(-wait) ?? 0);
        const before = held.length;
        const masked = spans.at(-1)?.[1] ?? 0;
        const text = give(Math.max(free, masked), spans);
        const gone = before - held.length;
        counted = counted.filter((at) => at >= gone).map((at) => at - gone);
        return text;
      },

      end(): string {
        const rest = held;
        held = '';
        counted = [];
        state = 0;
        return rest;
      },
    };
  }

  function mask(text: string): string {
    const filter = createFilter();
    return filter.pass(text) + filter.end();
  }

  function maskAll<T>(value: T): T {
    if (machine === undefined) return value;
    if (typeof value === 'string') return mask(value) as T;
    if (Array.isArray(value)) return value.map(maskAll) as T;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [mask(name), maskAll(one)])) as T;
  }

  /** Searches consecutive pieces of text and returns the name of the first secret. */
  function createSearch() {
    let state = 0;
    return {
      look(text: string): string | undefined {
        if (machine === undefined) return undefined;
        for (let at = 0; at < text.length; at += 1) {
          const code = text.charCodeAt(at);
          if (state === 0 && !machine.begins(code)) continue;
          if (isLineEnd(code)) continue;
          state = machine.next(state, code);
          if (machine.matchAt(state) > 0) return machine.nameAt(state);
        }
        return undefined;
      },
      reset(): void {
        state = 0;
      },
    };
  }

  return { createFilter, mask, maskAll, createSearch };
}

/** Ignore line breaks, because many programs wrap long lines. */
const isLineEnd = (code: number): boolean => code === 10 || code === 13;

function addSpan(spans: [number, number][], start: number, stop: number): void {
  let from = start;
  while (spans.length > 0 && spans.at(-1)![1] > from) from = Math.min(from, spans.pop()![0]);
  spans.push([from, stop]);
}

/** Matches all forms in one step per character, however many secrets there are (Aho–Corasick). */
function createMachine(all: Secret[]) {
  const steps = new Map<number, number>();
  const depth = [0];
  const match = [0];
  const names: (string | undefined)[] = [undefined];
  const back = [0];
  const keyOf = (state: number, code: number) => state * 0x10000 + code;

  for (const { name, value } of all)
    for (const form of formsOf(value)) {
      let state = 0;
      for (const character of form.replace(/[\r\n]/g, '').split('')) {
        const key = keyOf(state, character.charCodeAt(0));
        let following = steps.get(key);
        if (following === undefined) {
          following = depth.length;
          steps.set(key, following);
          depth.push(depth[state]! + 1);
          match.push(0);
          names.push(undefined);
          back.push(0);
        }
        state = following;
      }
      match[state] = depth[state]!;
      names[state] ??= name;
    }
  if (depth.length === 1) return undefined;
  const first = new Uint8Array(0x10000);
  for (const key of steps.keys()) if (key < 0x10000) first[key] = 1;

  const next = (state: number, code: number): number => {
    let from = state;
    for (;;) {
      const to = steps.get(keyOf(from, code));
      if (to !== undefined) return to;
      if (from === 0) return 0;
      from = back[from]!;
    }
  };

  // In order of depth, because each fallback depends on the shorter forms.
  const edges = [...steps].map(([key, to]) => ({ from: Math.floor(key / 0x10000), code: key % 0x10000, to }));
  edges.sort((one, other) => depth[one.to]! - depth[other.to]!);
  for (const { from, code, to } of edges) {
    if (from !== 0) back[to] = next(back[from]!, code);
    if (match[to] === 0 && match[back[to]!] !== 0) {
      match[to] = match[back[to]!]!;
      names[to] = names[back[to]!];
    }
  }

  return {
    next,
    /** Whether any form starts with this character; a fast path for most text. */
    begins: (code: number): boolean => first[code] === 1,
    depthOf: (state: number): number => depth[state]!,
    /** Length of the form that ends in this state; 0 for none. */
    matchAt: (state: number): number => match[state]!,
    nameAt: (state: number): string | undefined => names[state],
  };
}

function formsOf(value: string): Set<string> {
  const url = encodeURIComponent(value);
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    url,
    url.replace(/%../g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('hex').toUpperCase(),
    ...[0, 1, 2].map((offset) => inBase64(value, offset)),
  ];
  return new Set([
    ...forms,
    ...forms.slice(-3).map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ]);
}

/** The base64 characters that depend only on the value when it starts at this byte offset. */
function inBase64(value: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const first = [0, 2, 3][offset]!;
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(first, whole);
}
