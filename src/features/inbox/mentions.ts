/** The names that may follow an `@`, the longest first. */
export type Mention = string[];

const MOST_MENTIONS = 50;
const LONGEST_NAME = 120;
const MOST_NAMES = 8;

/** An `@` that is not inside an address or a word, and right before something. */
const MENTION_SIGN = /(?<![\p{L}\p{N}\p{M}._%+@-])@(?=\S)/gu;
/** A name ends where a letter or digit is followed by something that does not go on with it. */
const NAME_END = /[\p{L}\p{N}\p{M}](?![\p{L}\p{N}\p{M}@]|[._'’-][\p{L}\p{N}])/gu;

/** Every `@` that is not inside an address, with the names that may stand after it. */
export function findMentions(text: string): Mention[] {
  const mentions: Mention[] = [];
  let looked = 0;
  for (const { index } of text.matchAll(MENTION_SIGN)) {
    // A sign that no name follows counts too: a long text of nothing else would take seconds.
    if (looked++ === MOST_MENTIONS) break;
    const rest = text.slice(index + 1, index + 1 + LONGEST_NAME).split('\n', 1)[0]!;
    const ends = [...rest.matchAll(NAME_END)].slice(0, MOST_NAMES).map((end) => end.index + end[0].length);
    const names = ends.map((end) => nameKey(rest.slice(0, end)));
    if (names.length > 0) mentions.push(names.reverse());
  }
  return mentions;
}

/** Names are the same whatever their case and the spaces between their parts. */
export const nameKey = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase();

/** The mentioned people: the longest name of each mention that belongs to anybody. */
export function pickPeople(
  mentions: readonly Mention[],
  people: ReadonlyMap<string, readonly number[]>,
): number[] {
  const found = mentions.flatMap((names) => {
    const known = names.find((name) => people.has(name));
    return known === undefined ? [] : people.get(known)!;
  });
  return [...new Set(found)];
}
