import { LRUCache } from 'lru-cache';

/** Every so manieth entry of a card is a landmark. */
export const STEP = 500;
const MOST_CARDS = 1000;

/**
 * What is known of a card's entries up to the newest that was seen. None ever goes or comes between others, so it stays true, and
 * only what came since is counted.
 */
export interface KnownEntries {
  total: number;
  newest: number;
  /** Sequences of the landmarks, oldest first. */
  landmarks: number[];
}

const NOTHING: KnownEntries = { total: 0, newest: 0, landmarks: [] };

export function rememberEntries() {
  const known = new LRUCache<string, KnownEntries>({ max: MOST_CARDS });
  return {
    /** `lastSequence` is the board's: a database that was put back to an earlier day has fewer than were seen. */
    of(cardId: string, lastSequence: number): KnownEntries {
      const found = known.get(cardId);
      return found && found.newest <= lastSequence ? found : NOTHING;
    },
    note: (cardId: string, entries: KnownEntries) => void known.set(cardId, entries),
  };
}

/** The last landmark among the first `before` entries: how many there are up to it, and its sequence. */
export function landmarkWithin({ landmarks }: KnownEntries, before: number) {
  const passed = Math.min(Math.floor(Math.max(0, before) / STEP), landmarks.length);
  return { number: passed * STEP, sequence: landmarks[passed - 1] ?? 0 };
}
