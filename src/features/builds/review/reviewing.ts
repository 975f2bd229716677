import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { gateStore } from '../analysis/analysis.store.js';
import { RISKY } from '../analysis.schemas.js';
import type { Reservations } from '../budget/reservations.js';
import { commitToCheck } from '../checks/check-definition.js';
import { PASSED } from '../checks/verdict.js';
import type { Lifecycle } from '../lifecycle/advance.js';
import type { Attempts } from '../lifecycle/attempts.js';
import type { Conclusion } from '../lifecycle/conclusion.js';
import { policyStore } from '../policy/policy.store.js';
import { chooseReviewer } from '../policy/reviewer-choice.js';
import type { WorkBell } from '../record/build-news.js';
import type { BuildOptions } from '../record/builds.options.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { reviewerStore, reviewPassStore } from './reviewer.store.js';

interface ReviewingDeps extends Pick<BuildOptions, 'db' | 'clock' | 'log' | 'parts'> {
  bell: WorkBell;
  lifecycle: Lifecycle;
  conclusion: Pick<Conclusion, 'conclude'>;
  attempts: Pick<Attempts, 'prepareRetry' | 'hasRoom'>;
  reservations: Pick<Reservations, 'explain'>;
}

/** A person does not wait longer for a reviewer that no desk can run. */
const FORGOTTEN_SECONDS = 120 * MINUTE;
const MOST_QUEUED = 1000;
const NOBODY_TOOK_IT = 'No desk took the review';
const NOBODY_WAITS = 'Nobody waits for the review any more';
const FAILED = 'The review says that the change does not hold';

/** The way of a build from its checks to its end, where somebody reads it in between. */
export function createReviewing(deps: ReviewingDeps) {
  const { db, clock, log, parts, bell, lifecycle, conclusion, attempts, reservations } = deps;

  /** Ends as it would have without a reviewer, and says why there was none. */
  async function goWithout(tx: Tx, build: BuildRow, why: string): Promise<void> {
    const text = `No second coder looked at this: ${why}`;
    await gateStore(tx, build.brand_id).addNote(build.build_id, { kind: 'review', text });
    await conclusion.conclude(tx, build, PASSED);
  }

  async function ask(tx: Tx, build: BuildRow): Promise<void> {
    const now = clock.now();
    const { brand_id, build_id } = build;
    const reviewer = (await policyStore(tx, brand_id).find())?.reviewer ?? null;
    if (
      !reviewer ||
      reviewer.on === 'none' ||
      (reviewer.on === 'risky' && (build.risk?.score ?? 0) < RISKY)
    ) {
      await conclusion.conclude(tx, build, PASSED);
      return;
    }
    const choice = chooseReviewer(reviewer, build);
    if ('refusal' in choice) return goWithout(tx, build, choice.refusal);
    const review = {
      build_id: newId(),
      ...choice,
      branch: `${build.branch}-review`,
      base_sha: commitToCheck(build) ?? build.base_sha,
      queued_at: now,
    };
    await reviewerStore(tx, brand_id).add(build, review);
    await recordAudit(tx, {
      brandId: brand_id,
      actor: { kind: 'service' },
      action: 'build.review-asked',
      subject: `build:${build_id}`,
      details: { review: review.build_id, ...choice },
      at: now,
    });
    bell.announce(tx, brand_id);
  }

  /** It is decided by its verdict whether another attempt begins; everything else is for a person to decide. */
  async function judge(build: BuildRow, review: BuildRow): Promise<void> {
    const { verdict } = review;
    const placed = verdict ? await parts.placeRemarks(build, verdict) : [];
    const next = verdict?.verdict === 'fail' ? await attempts.prepareRetry(build) : undefined;
    await lifecycle.within(db, async (tx) => {
      const held = await hold(tx, build);
      if (!held) return;
      if (!verdict)
        return goWithout(
          tx,
          held,
          `the review ended as ${review.status}${review.reason ? ` (${review.reason})` : ''}`,
        );
      await parts.keepRemarks(tx, held, review.coder, placed);
      if (next && (await attempts.hasRoom(held, tx)))
        await conclusion.conclude(tx, held, { passed: false, reason: FAILED, rework: true }, next);
      else await conclusion.conclude(tx, held, PASSED);
    });
  }

  /** As it is now, if it still waits; two passes may have found it. */
  async function hold(tx: Tx, { brand_id, build_id }: BuildRow): Promise<BuildRow | undefined> {
    const held = await buildStore(tx, brand_id).lock(build_id, clock.now());
    return held && held.finished_at === null && held.review_wanted_at !== null ? held : undefined;
  }

  /** False where it has to wait for what its risk is. */
  async function advance(build: BuildRow): Promise<boolean> {
    const last = await reviewerStore(db, build.brand_id).findLast(build.build_id, clock.now());
    // A review of an earlier time that the same build was checked says nothing of this one.
    const own = last && last.queued_at >= build.review_wanted_at! ? last : undefined;
    if (own) {
      await judge(build, own);
      return true;
    }
    if (build.risk === null) return false;
    await lifecycle.within(db, async (tx) => {
      const held = await hold(tx, build);
      const asked = held && (await reviewerStore(tx, held.brand_id).findLast(held.build_id, clock.now()));
      if (held && (!asked || asked.queued_at < held.review_wanted_at!)) await ask(tx, held);
    });
    return true;
  }

  /** A review that waits for a budget waits as long as a build would, and only then for a desk. */
  async function noteUnpaid(): Promise<void> {
    const store = reviewPassStore(db);
    const byBrand = new Map<number, Awaited<ReturnType<typeof store.listQueued>>>();
    for (const review of await store.listQueued(MOST_QUEUED))
      byBrand.set(review.brand_id, [...(byBrand.get(review.brand_id) ?? []), review]);
    for (const [brandId, reviews] of byBrand) {
      const unpaid = await reservations.explain(db, brandId, reviews);
      if (unpaid.size > 0) await store.noteUnpaid([...unpaid.keys()], clock.now());
    }
  }

  async function giveUp(passedOver: readonly string[]): Promise<string | undefined> {
    return lifecycle.within(db, async (tx) => {
      const now = clock.now();
      const forgotten = secondsFrom(now, -FORGOTTEN_SECONDS);
      const review = await reviewPassStore(tx).lockIdle(passedOver, forgotten, now);
      if (!review) return undefined;
      await lifecycle.cancel(tx, review, review.is_wanted ? NOBODY_TOOK_IT : NOBODY_WAITS);
      return review.build_id;
    });
  }

  return {
    /** One at a time: one that cannot be gone on with does not keep the others. */
    async goOn(signal: AbortSignal, result: PassResult): Promise<void> {
      await noteUnpaid();
      const idle: string[] = [];
      for (let id = await giveUp(idle); id !== undefined && !signal.aborted; id = await giveUp(idle))
        idle.push(id);
      const passedOver: string[] = [];
      while (!signal.aborted) {
        const build = await reviewPassStore(db).findWaiting(passedOver, clock.now());
        if (!build) return;
        passedOver.push(build.build_id);
        try {
          if (await advance(build)) result.processed += 1;
        } catch (error) {
          log.error(
            { err: error, build: build.build_id },
            'A build that waits for a reviewer could not go on',
          );
          result.failed += 1;
        }
      }
    },
  };
}
