import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { analysisStore } from '../analysis/analysis.store.js';
import type { Reservations } from '../budget/reservations.js';
import { commitToCheck, PASSED } from '../checks/check-rules.js';
import type { CommentPlaces, CommentTarget } from '../comments/comment-places.js';
import { commentStore } from '../comments/comments.store.js';
import type { Lifecycle } from '../lifecycle/advance.js';
import type { Attempts } from '../lifecycle/attempts.js';
import type { Conclusion } from '../lifecycle/conclusion.js';
import { chooseReviewer } from '../policy/coder-choice.js';
import { policyStore } from '../policy/policy.store.js';
import type { BuildDeps } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { reviewerStore, reviewPassStore } from '../record/reviewer.store.js';
import type { WorkSignal } from '../record/work-signal.js';
import { type Remark, RISKY, type Verdict } from '../review.schemas.js';

interface PlacedFinding {
  target: CommentTarget;
  body: string;
}

const MOST_COMMENTS = 1000;
const NOWHERE: CommentTarget = { path: null, line: null, side: 'new', commit_sha: null, context: null };

/** Findings without a valid place become comments on the whole build. */
function createRemarks({ clock, places }: ReviewerJobDeps) {
  async function place(build: BuildRow, { path, line, body, severity }: Remark): Promise<PlacedFinding> {
    const said = `**${severity}** ${body}`;
    for (const wanted of [{ path, line: line ?? undefined }, { path }]) {
      try {
        return { target: await places.findTarget(build, wanted), body: said };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return { target: NOWHERE, body: `${said}\n\n(${path}${line ? `:${line}` : ''})` };
  }

  return {
    /** May wait for the repository host, so it runs before the transaction. */
    async place(build: BuildRow, { comments }: Verdict): Promise<PlacedFinding[]> {
      const placed: PlacedFinding[] = [];
      for (const remark of comments) placed.push(await place(build, remark));
      return placed;
    },

    /** The findings are stored in the name of the person who requested the build. */
    async keep(tx: Tx, build: BuildRow, coder: string, placed: readonly PlacedFinding[]): Promise<void> {
      if (build.created_by === null || placed.length === 0) return;
      const store = commentStore(tx, build.brand_id);
      const room = MOST_COMMENTS - (await store.countOfLine(build.build_id));
      const by = { userId: build.created_by, agentId: coder };
      for (const { target, body } of placed.slice(0, Math.max(0, room)))
        await store.insert(
          { comment_id: newId(), build_id: build.build_id, answers: null, body, ...target },
          { by, at: clock.now(), draft: false },
        );
    },
  };
}

interface ReviewerJobDeps extends BuildDeps {
  places: CommentPlaces;
  workSignal: WorkSignal;
  lifecycle: Lifecycle;
  conclusion: Conclusion;
  attempts: Attempts;
  reservations: Reservations;
}

/** A review that no desk takes is given up after this time. */
const FORGOTTEN_SECONDS = 120 * MINUTE;
const MOST_QUEUED = 1000;
const NOBODY_TOOK_IT = 'No desk took the review';
const NOBODY_WAITS = 'The review is no longer needed';
const FAILED = 'The reviewer failed the change';

export function createReviewerJob(deps: ReviewerJobDeps) {
  const { db, clock, log, workSignal, lifecycle, conclusion, attempts, reservations } = deps;
  const comments = createRemarks(deps);

  async function goWithout(tx: Tx, build: BuildRow, why: string): Promise<void> {
    const text = `No reviewer looked at this: ${why}`;
    await analysisStore(tx, build.brand_id).addNote(build.build_id, { kind: 'review', text });
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
    workSignal.announce(tx, brand_id);
  }

  /** A failing verdict can start another attempt. A person decides in all other cases. */
  async function judge(build: BuildRow, review: BuildRow): Promise<void> {
    const { verdict } = review;
    const placed = verdict ? await comments.place(build, verdict) : [];
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
      await comments.keep(tx, held, review.coder, placed);
      if (next && (await attempts.hasRoom(held, tx)))
        await conclusion.conclude(tx, held, { passed: false, reason: FAILED, rework: true }, next);
      else await conclusion.conclude(tx, held, PASSED);
    });
  }

  /** Two jobs may have found the same build. */
  async function hold(tx: Tx, { brand_id, build_id }: BuildRow): Promise<BuildRow | undefined> {
    const held = await buildStore(tx, brand_id).lock(build_id, clock.now());
    return held && held.finished_at === null && held.review_wanted_at !== null ? held : undefined;
  }

  /** False while the risk of the build is unknown. */
  async function advance(build: BuildRow): Promise<boolean> {
    const last = await reviewerStore(db, build.brand_id).findLast(build.build_id, clock.now());
    // A review from an earlier check does not count.
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

  /** Time spent waiting for a budget does not count as waiting for a desk. */
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

  /** A failing build must not block the others. */
  return async (signal: AbortSignal, result: JobResult): Promise<void> => {
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
        log.error({ err: error, build: build.build_id }, 'A build waiting for a reviewer could not continue');
        result.failed += 1;
      }
    }
  };
}
