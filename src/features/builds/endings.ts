import { inTransaction } from '../../database/connection/transaction.js';
import type { Db, Tx } from '../../database/database.js';
import { tellOfBuild } from './build-messages.js';
import { tellPeopleOfEnd } from './build-notices.js';
import type { BuildOptions } from './builds.options.js';
import type { Outcome } from './builds.schemas.js';
import type { BuildRow } from './builds.store.js';
import { reasonByClock } from './builds.views.js';
import type { CardFollow } from './cards/card-follow.js';
import { type Ending, endingStore } from './endings.store.js';
import type { BuildNews } from './log/log-news.js';

interface EndingDeps extends Pick<BuildOptions, 'parts' | 'outbox' | 'inbox'> {
  cards: CardFollow;
  news: BuildNews;
  countFinished(outcome: string): void;
}

/** How builds end, whoever ends them: the facts, the card, the token and the readers of the log, in one transaction. */
export function createEndings({ parts, outbox, inbox, cards, news, countFinished }: EndingDeps) {
  const endedIn = new WeakMap<Tx, Outcome[]>();

  /** A transaction in which builds may end. They are counted once it has come about: one that is undone ended nothing. */
  async function within<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
    let outcomes: Outcome[] = [];
    const done = await inTransaction(db, (tx) => {
      outcomes = [];
      endedIn.set(tx, outcomes);
      return work(tx);
    });
    outcomes.forEach(countFinished);
    return done;
  }

  /** `build` is held by the transaction and is answered as it is afterwards. */
  async function end(tx: Tx, build: BuildRow, ending: Ending): Promise<BuildRow> {
    await endingStore(tx, build.brand_id).end(build.build_id, ending);
    // Work that never began leaves the card as it was, unless there is something to say.
    if (build.started_at || ending.outcome === 'failed')
      await cards.followEnd(tx, build, {
        outcome: ending.outcome,
        at: ending.at,
        reason: ending.reason,
        result: ending.result ?? build.result,
      });
    await parts.endToken(tx, build);
    await news.announceEnd(tx, build.build_id);
    const { outcome, at, reason, usage } = ending;
    const ended = {
      ...build,
      outcome,
      status: outcome,
      finished_at: at,
      ended_at: at,
      reason,
      lost_at: ending.lostAt ?? build.lost_at,
      result: ending.result ?? build.result,
      finish_digest: ending.finishDigest ?? build.finish_digest,
      ...usage,
    };
    // A desk that reports what the service has written down already brings no news.
    if (build.outcome !== outcome) {
      await tellOfBuild(outbox, tx, 'build.finished', ended, at);
      await tellPeopleOfEnd(inbox, tx, ended, at);
      endedIn.get(tx)?.push(outcome);
    }
    return ended;
  }

  /** Writes down what the clock has already decided; a build that it has not is answered as it is. */
  async function settle(tx: Tx, build: BuildRow): Promise<BuildRow> {
    if (build.finished_at !== null || build.ended_at === null) return build;
    const outcome = build.status as Outcome;
    const at = build.ended_at;
    return end(tx, build, {
      outcome,
      at,
      reason: reasonByClock(build),
      ...(outcome === 'lost' && { lostAt: at }),
    });
  }

  return { within, end, settle };
}

export type Endings = ReturnType<typeof createEndings>;
