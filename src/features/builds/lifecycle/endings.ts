import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Spending } from '../budget/spending.js';
import type { Outcome } from '../builds.schemas.js';
import { checkRunStore } from '../checks/check-runs.store.js';
import { tellOfBuild } from '../record/build-messages.js';
import { tellPeopleOfEnd } from '../record/build-notices.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';
import { reasonByClock } from '../record/builds.views.js';
import type { CardFollow } from './card-follow.js';
import { type Ending, lifecycleStore } from './lifecycle.store.js';

/** The pass that looks at what builds brought, and goes on with those that wait for a reviewer. */
export const GATE_JOB = 'build-gate';

interface EndingDeps extends Pick<BuildOptions, 'jobs' | 'parts' | 'outbox' | 'inbox'> {
  cards: CardFollow;
  /** After the commit that ends its log, its readers hear of it. */
  announceLogEnd(tx: Tx, buildId: string): void;
  spending: Pick<Spending, 'total' | 'close'>;
  countFinished(outcome: string): void;
}

/** How builds end, whoever ends them: the facts, the card, the token and the readers of the log, in one transaction. */
export function createEndings(deps: EndingDeps) {
  const { jobs, parts, outbox, inbox, cards, announceLogEnd, spending, countFinished } = deps;
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

  /** `build` is held by the transaction and is answered as it is afterwards. Quiet: nobody has to do anything about it. */
  async function end(
    tx: Tx,
    build: BuildRow,
    { usage: said, ...how }: Ending,
    { quiet = false }: { quiet?: boolean } = {},
  ): Promise<BuildRow> {
    const usage = said ? await spending.total(tx, build, said, true) : undefined;
    const ending = { ...how, usage };
    await lifecycleStore(tx, build.brand_id).end(build.build_id, ending);
    if (build.checking_at) await checkRunStore(tx, build.brand_id).close(build.build_id, ending.at);
    // Work that never began leaves the card as it was, unless there is something to say.
    if (build.kind === 'build' && (build.started_at || ending.outcome === 'failed'))
      await cards.followEnd(tx, build, {
        outcome: ending.outcome,
        at: ending.at,
        reason: ending.reason,
        result: ending.result ?? build.result,
      });
    await parts.endToken(tx, build);
    announceLogEnd(tx, build.build_id);
    const { outcome, at, reason } = ending;
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
      // Of a review the build tells that it is about.
      if (build.kind === 'build') {
        await tellOfBuild(outbox, tx, 'build.finished', ended, at);
        if (!quiet) await tellPeopleOfEnd(inbox, tx, ended, at);
      }
      if (build.kind === 'review' || build.review_wanted_at !== null) await jobs.trigger(tx, GATE_JOB);
      endedIn.get(tx)?.push(outcome);
    }
    await spending.close(tx, build, usage);
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
