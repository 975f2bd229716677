import { cutSnippet, findWords, rankName } from './matching.js';
import type { SearchHit } from './search.schemas.js';

/** A text that may have the words, by the name of its field. */
interface FieldText {
  field: string;
  text: string | null;
}

type Facts = Omit<SearchHit, 'field' | 'snippet' | 'marks'>;

/** The field that has the most of the words tells where they stand; of two that have as many, the first. */
export function makeHit(facts: Facts, words: readonly string[], fields: readonly FieldText[]): SearchHit {
  const texts = [{ field: 'title', text: facts.title }, ...fields].filter(
    (each): each is { field: string; text: string } => each.text !== null && each.text !== '',
  );
  let best = { field: 'title', text: facts.title, ...findWords(facts.title, words) };
  for (const { field, text } of texts.slice(1)) {
    if (best.words === words.length) break;
    const match = findWords(text, words);
    if (match.words > best.words) best = { field, text, ...match };
  }
  return { ...facts, field: best.field, ...cutSnippet(best.text, best.marks) };
}

/** The things whose names have all the words, the closest name first. */
export function fittingNames<T>(
  things: readonly T[],
  nameOf: (thing: T) => string,
  words: readonly string[],
  limit: number,
): T[] {
  return things
    .map((thing) => ({ thing, name: nameOf(thing), rank: rankName(nameOf(thing), words) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((one, other) => other.rank! - one.rank! || (one.name < other.name ? -1 : 1))
    .slice(0, limit)
    .map(({ thing }) => thing);
}
