/** A place in a text where somebody may be called, and what the name may be: the longest first. */
export type Call = string[];

const MOST_CALLS = 50;
const LONGEST_NAME = 120;
const MOST_NAMES = 8;

/** An `@` that is not inside an address or a word, and right before something. */
const CALL_SIGN = /(?<![\p{L}\p{N}\p{M}._%+@-])@(?=\S)/gu;
/** A name ends where a letter or digit is followed by something that does not go on with it. */
const NAME_END = /[\p{L}\p{N}\p{M}](?![\p{L}\p{N}\p{M}@]|[._'’-][\p{L}\p{N}])/gu;

/** Every `@` that is not inside an address, with the names that may stand after it. */
export function findCalls(text: string): Call[] {
  const calls: Call[] = [];
  let looked = 0;
  for (const { index } of text.matchAll(CALL_SIGN)) {
    // A sign that no name follows counts too: a long text of nothing else would take seconds.
    if (looked++ === MOST_CALLS) break;
    const rest = text.slice(index + 1, index + 1 + LONGEST_NAME).split('\n', 1)[0]!;
    const ends = [...rest.matchAll(NAME_END)].slice(0, MOST_NAMES).map((end) => end.index + end[0].length);
    const names = ends.map((end) => nameKey(rest.slice(0, end)));
    if (names.length > 0) calls.push(names.reverse());
  }
  return calls;
}

/** Names are the same whatever their case and the spaces between their parts. */
export const nameKey = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase();

/** Whom the calls mean: of each the longest name that somebody has. */
export function pickMentioned(
  calls: readonly Call[],
  people: ReadonlyMap<string, readonly number[]>,
): number[] {
  const mentioned = calls.flatMap((names) => {
    const known = names.find((name) => people.has(name));
    return known === undefined ? [] : people.get(known)!;
  });
  return [...new Set(mentioned)];
}
