import { nameOf, splitPlace } from './places.js';

/** Names with a lower Dice coefficient of their character pairs are unrelated. */
const LEAST = 0.45;

/** Places with names similar to `gone`, best match first. */
export function rankByName(gone: string, places: readonly string[]): string[] {
  const wanted = pairsOf(gone);
  return places
    .map((place) => ({ place, likeness: likenessOf(wanted, pairsOf(place)) }))
    .filter(({ likeness }) => likeness >= LEAST)
    .sort((one, other) => other.likeness - one.likeness || (one.place < other.place ? -1 : 1))
    .map(({ place }) => place);
}

/** Dice coefficient of two sets of character pairs, from 0 to 1. */
function likenessOf(one: Set<string>, other: Set<string>): number {
  if (one.size + other.size === 0) return 0;
  const shared = [...one].filter((pair) => other.has(pair)).length;
  return (2 * shared) / (one.size + other.size);
}

function pairsOf(place: string): Set<string> {
  const plain = bareName(place)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
}

/** The method without its class or the file without its extension, because those change when code moves. */
function bareName(place: string): string {
  const { symbol } = splitPlace(place);
  return symbol?.split('.').at(-1) ?? nameOf(place).replace(/\.[a-z]+$/, '');
}
