import type { BuildOptions } from '../record/builds.options.js';
import { logStore } from './log.store.js';

/** Cards show signs of life this often; builds have every one of them. */
const WRITE_EVERY_MS = 5_000;

/** Collects signs of life, so that a card is not written with every line that its coder prints. */
export function createLifeSigns({
  db,
  clock,
  log,
  boards,
}: Pick<BuildOptions, 'db' | 'clock' | 'log' | 'boards'>) {
  let heard = new Map<number, Set<string>>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    timer = undefined;
    const noted = heard;
    heard = new Map();
    try {
      for (const [brandId, builds] of noted) {
        const cards = await logStore(db, brandId).listCardsAtWork([...builds]);
        if (cards.length > 0) await boards.noteSignsOfLife(db, brandId, cards, clock.now());
      }
    } catch (error) {
      log.warn({ err: error }, 'Signs of life of builds could not be written on their cards');
    }
  }

  return {
    note(brandId: number, buildId: string): void {
      const builds = heard.get(brandId) ?? new Set();
      heard.set(brandId, builds.add(buildId));
      timer ??= setTimeout(() => void write(), WRITE_EVERY_MS).unref();
    },

    stop(): void {
      clearTimeout(timer);
    },
  };
}

export type LifeSigns = ReturnType<typeof createLifeSigns>;
