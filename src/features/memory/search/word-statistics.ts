import { LRUCache } from 'lru-cache';
import type { QueryTerm } from './query-terms.js';
import type { TermStatistics } from './ranking.js';

/** How common words are among one agent's memories. Words that stand in next to none are left out. */
export interface AgentWords {
  documents: number;
  frequencies: ReadonlyMap<string, number>;
}

interface Entry {
  words: AgentWords;
  loadedAt: number;
}

const FRESH_MS = 5 * 60_000;
const RARE_WORD = 1;
/** Enough matches to choose from; words that are more common than that need not bring in more. */
const ENOUGH_MATCHES = 600;

/** Remembers how common words are for agents with many memories: minutes-old figures rank as well as fresh ones. Nobody waits for them. */
export class WordStatistics {
  #entries = new LRUCache<string, Entry>({ max: 500 });
  #wanted = new Set<string>();
  #counting: Promise<void> = Promise.resolve();

  /** What is known, renewed behind the caller's back when it is old. */
  find(key: string, load: () => Promise<AgentWords>): AgentWords | undefined {
    const entry = this.#entries.get(key);
    if (entry && performance.now() - entry.loadedAt > FRESH_MS) this.want(key, load);
    return entry?.words;
  }

  /** One at a time: counting is heavy, and the connections belong to the searches. */
  want(key: string, load: () => Promise<AgentWords>): void {
    if (this.#wanted.has(key)) return;
    this.#wanted.add(key);
    this.#counting = this.#counting.then(() => this.#refresh(key, load));
  }

  async #refresh(key: string, load: () => Promise<AgentWords>): Promise<void> {
    try {
      this.#entries.set(key, { words: await load(), loadedAt: performance.now() });
    } catch {
      // Searches go on without them, and the next one tries again.
    } finally {
      this.#wanted.delete(key);
    }
  }
}

const frequencyOf = ({ documents, frequencies }: AgentWords, { stem, word, others }: QueryTerm): number => {
  const each = [stem ?? word, ...others].map((form) => frequencies.get(form) ?? RARE_WORD);
  return Math.min(
    documents,
    each.reduce((sum, frequency) => sum + frequency, 0),
  );
};

/** With so many memories, a word that several of them have need not stand for longer words too. */
export const isCommon = ({ frequencies }: AgentWords, { stem }: QueryTerm): boolean =>
  stem !== undefined && frequencies.has(stem);

export const statisticsOf = (words: AgentWords, terms: readonly QueryTerm[]): TermStatistics => ({
  documents: words.documents,
  frequencies: terms.map((term) => frequencyOf(words, term)),
});

/** The rarest words, as many as bring in enough memories: what only the most common words would add cannot rank high. */
export function chooseLeading(terms: readonly QueryTerm[], { frequencies }: TermStatistics): QueryTerm[] {
  const byRarity = terms
    .map((term, i) => ({ term, frequency: frequencies[i]! }))
    .sort((a, b) => a.frequency - b.frequency);
  const leading: QueryTerm[] = [];
  let matches = 0;
  for (const { term, frequency } of byRarity) {
    if (matches >= ENOUGH_MATCHES) break;
    leading.push(term);
    matches += frequency;
  }
  return leading;
}
