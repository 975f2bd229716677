import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FoundMemories } from '../../../client/src/index.js';
import type { Checkout } from '../checkout.js';
import { addressOf } from '../repository.js';

type Memory = FoundMemories['memories'][number];

/** Decisions and preferences come first because they bind; facts can be looked up. */
const KINDS: Memory['kind'][] = ['decision', 'preference', 'pattern', 'learning', 'fact', 'summary'];
const IMPORTANCES: Memory['importance'][] = ['critical', 'high', 'normal', 'low'];

/** Sorts by kind, mentions of this repository, importance, last verification and age. */
export function orderByWorth(memories: readonly Memory[], checkout: Checkout): Memory[] {
  const speaksOf = readRepository(checkout);
  return memories
    .map((memory) => ({
      memory,
      mentions: speaksOf(`${memory.title} ${memory.body} ${memory.tags.join(' ')}`),
    }))
    .sort(
      (a, b) =>
        KINDS.indexOf(a.memory.kind) - KINDS.indexOf(b.memory.kind) ||
        b.mentions - a.mentions ||
        IMPORTANCES.indexOf(a.memory.importance) - IMPORTANCES.indexOf(b.memory.importance) ||
        compare(b.memory.last_verified_at, a.memory.last_verified_at) ||
        compare(b.memory.created_at, a.memory.created_at) ||
        compare(a.memory.id, b.memory.id),
    )
    .map(({ memory }) => memory);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const MOST_MENTIONS = 3;

/** Counts the repository's files, folders and names that a text mentions, up to MOST_MENTIONS. */
function readRepository(checkout: Checkout): (text: string) => number {
  const names = new Set(
    [basename(addressOf(checkout)), ...listNames(checkout.root)]
      .map((name) => name.toLowerCase().replace(/\.git$/, ''))
      .filter((name) => name.length > 3),
  );
  return (text) => {
    const words = new Set(text.match(/[\w@.][\w@./-]*[\w]/g) ?? []);
    let mentions = 0;
    for (const word of words) {
      if (mentions >= MOST_MENTIONS) break;
      if (names.has(word.toLowerCase()) || (word.includes('/') && isInside(checkout.root, word)))
        mentions += 1;
    }
    return mentions;
  };
}

const isInside = (root: string, path: string) => !path.includes('..') && existsSync(join(root, path));

function listNames(root: string): string[] {
  try {
    return readdirSync(root).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

const LABEL =
  /^(?:decision|preference|pattern|learning|lessons?(?: learned)?|fact|summary|remember|note|important|fyi|til)\s*[:,-]\s*/i;
const bare = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(LABEL, '')
    .replace(/[.!…\s]+$/, '')
    .toLowerCase();

/** A body that only repeats its title is not worth the space. */
export const repeatsTitle = (title: string, body: string): boolean =>
  bare(body) === bare(title) || bare(body) === '';
