import { DAY, HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { ForgeFailed } from '../adapter/forge.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { askAbout } from './asking.js';
import type { Following } from './following.js';
import type { ForgeAccess } from './neighbours.js';
import { NotOpened, type Opened } from './opening.js';
import { pauseAfter } from './pauses.js';
import type { Turns } from './turns.js';
import { claimWishes, type WishRow, wishStore } from './wishes.store.js';

interface OpeningPassDeps extends Pick<ForgeOptions, 'db' | 'clock' | 'log' | 'boards'> {
  access: Pick<ForgeAccess, 'noteFailure' | 'noteSuccess'>;
  open(wish: WishRow, getsOn: () => void): Promise<Opened>;
  follow: Following;
  turns: Turns;
}

const AT_ONCE = 16;
/** Longer than all its calls take together: whoever held it is most likely gone. */
export const LEASE_SECONDS = 2 * MINUTE;
/** Of a host that is away, and of one that does not want to: somebody may give it another token meanwhile. */
const WHILE_AWAY = [
  5,
  10,
  20,
  40,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  DAY,
];
const WHILE_REFUSED = [10 * MINUTE, HOUR, 6 * HOUR, DAY];
const UNEXPECTED = 'Opening the pull request failed unexpectedly';

/** Makes pull requests of what was pushed. A host that is away is asked again; why there is none stands on the card. */
export function createOpeningPass({ db, clock, log, boards, access, open, follow, turns }: OpeningPassDeps) {
  async function openOrSayWhy(wish: WishRow, getsOn: () => void): Promise<boolean> {
    try {
      const opened = await open(wish, getsOn);
      await lookOnce(opened, wish);
      return true;
    } catch (error) {
      await sayWhy(wish, error);
      return false;
    }
  }

  /** What checks and people say already; the next pass asks again in any case. */
  async function lookOnce({ connected, number }: Opened, wish: WishRow) {
    const { brand_id, project_id } = wish;
    try {
      const { answer } = await askAbout(connected, clock, number);
      if (answer) await inTransaction(db, (tx) => follow(tx, { brand_id, project_id, number }, answer));
    } catch (error) {
      if (!(error instanceof ForgeFailed)) log.error({ err: error, build: wish.build_id }, UNEXPECTED);
    }
  }

  async function sayWhy(wish: WishRow, error: unknown): Promise<void> {
    const isKnown = error instanceof ForgeFailed || error instanceof NotOpened;
    if (!isKnown) log.error({ err: error, build: wish.build_id }, UNEXPECTED);
    const now = clock.now();
    if (error instanceof ForgeFailed) {
      await access.noteFailure(wish.project_id, error, now);
      if (error.fault === 'limited') await pauseAfter(db, wish, error, now);
    }
    const why = isKnown ? error.message : UNEXPECTED;
    const pauses = pausesAfter(error);
    const pause = pauses[wish.attempts - 1];
    const retryAt = error instanceof ForgeFailed && error.fault === 'limited' ? error.retryAt : null;
    const nextAt = pause === undefined ? null : later(retryAt, secondsFrom(now, pause));
    await inTransaction(db, async (tx) => {
      if (!(await wishStore(tx, wish.brand_id).noteFailed(wish, why, nextAt))) return;
      // A host that is away for a moment is nothing to bother people with.
      if (pauses === WHILE_AWAY && nextAt) return;
      await boards.followCard(
        tx,
        wish.brand_id,
        wish.card_id,
        () => ({ values: { error_code: 'pr_not_opened', error_message: why } }),
        { build: wish.build_id },
      );
    });
  }

  return async ({
    signal,
    byHand = false,
  }: {
    signal: AbortSignal;
    byHand?: boolean;
  }): Promise<PassResult> => {
    const result = { processed: 0, failed: 0 };
    const tried: string[] = [];
    while (!signal.aborted) {
      const now = clock.now();
      const leaseEnd = secondsFrom(now, LEASE_SECONDS);
      const due = await claimWishes(db, { now, leaseEnd, limit: AT_ONCE, byHand, except: tried });
      if (due.length === 0) break;
      tried.push(...due.map(({ build_id }) => build_id));
      const opened = await Promise.all(
        due.map((wish) => turns.begin(`opens ${wish.card_id}`, (getsOn) => openOrSayWhy(wish, getsOn))),
      );
      for (const each of opened) if (each !== undefined) result[each ? 'processed' : 'failed'] += 1;
    }
    return result;
  };
}

function pausesAfter(error: unknown): readonly number[] {
  if (error instanceof NotOpened) return [];
  const mayPass =
    !(error instanceof ForgeFailed) || error.fault === 'unreachable' || error.fault === 'limited';
  return mayPass ? WHILE_AWAY : WHILE_REFUSED;
}

const later = (one: Date | null, other: Date): Date => (one && one > other ? one : other);
