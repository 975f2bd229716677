import type { DeskCaller } from '../../../kernel/access.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { gateStore } from '../analysis/analysis.store.js';
import { briefStore } from '../brief/brief.store.js';
import { claimLost, finishedByDesk, finishedOtherwise, notStarted } from '../builds.errors.js';
import { commitToCheck, createCheckDefinition } from '../checks/check-definition.js';
import { GATE_JOB, type Lifecycle } from '../lifecycle/advance.js';
import type { Conclusion } from '../lifecycle/conclusion.js';
import type { Said } from '../lifecycle/lifecycle.store.js';
import type { EventName } from '../lifecycle/states.js';
import { policyStore } from '../policy/policy.store.js';
import { digestOf } from '../record/body-digest.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { WrittenBrief } from '../record/builds.parts.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { viewSettings } from '../record/builds.views.js';
import { requireClaim } from '../record/claim-check.js';
import type { Worker } from '../record/worker.js';
import { reviewerStore } from '../review/reviewer.store.js';
import { readVerdict, settleVerdict } from '../review/verdict-text.js';
import type { FinishAnswer, FinishBody, StartAnswer } from './desk.schemas.js';
import type { HoldService } from './holds.service.js';
import { createStartSettings } from './start-settings.js';
import { createStartSetup } from './start-setup.js';

interface RunDeps
  extends Pick<
    BuildOptions,
    'db' | 'clock' | 'jobs' | 'desks' | 'boards' | 'parts' | 'coderProfiles' | 'projects' | 'commitIdentity'
  > {
  lifecycle: Lifecycle;
  holds: Pick<HoldService, 'keepHold' | 'noteRefusal'>;
  conclusion: Pick<Conclusion, 'coderSucceeded'>;
}

const REPORTS = {
  succeeded: 'report_success',
  failed: 'report_failure',
  canceled: 'report_cancel',
  timed_out: 'report_timeout',
} as const satisfies Record<FinishBody['outcome'], EventName>;

/** What a finish says, as an event of the build. */
type Reported = Said & { name: (typeof REPORTS)[FinishBody['outcome']] | 'report_again' };

const NO_VERDICT = 'The review ended without a verdict';

/** What a desk says of a build it has claimed: that it starts, and how it ended. */
export function createRunService(deps: RunDeps) {
  const { db, clock, jobs, desks, parts, lifecycle, holds, conclusion, commitIdentity } = deps;
  const readSettings = createStartSettings(deps);
  const readSetup = createStartSetup(deps);
  const findChecks = createCheckDefinition(deps);

  /** What the coder is given: what is kept from an earlier call, else made now. */
  async function prepareBrief(build: BuildRow): Promise<WrittenBrief> {
    const kept = await briefStore(db, build.brand_id).find(build.build_id);
    return kept === undefined ? parts.writeBrief(build) : { text: kept, guestWords: build.guest_words };
  }

  /** A late outcome is the build's own; what the service ended for its time limit stays ended for that. */
  function endingOf(build: BuildRow, body: FinishBody, finishDigest: string, now: Date): Reported {
    const { result = null, usage: used } = body;
    // A desk that knows no number has reported no usage, and not usage of zero.
    const usage = used && Object.values(used).some((amount) => amount !== null) ? used : undefined;
    const { outcome, reason } = readOutcome(build, body);
    const late = build.lost_at !== null;
    const keeps = build.outcome !== null && !late;
    return {
      name: keeps ? 'report_again' : REPORTS[outcome],
      at: keeps ? build.finished_at! : now,
      reason: keeps ? build.reason : late ? sayLate(reason) : reason,
      result,
      usage,
      finishDigest,
    };
  }

  /** Read before anything is held: the repository's host may have to be asked. */
  async function readChecks(worker: Worker, buildId: string, { outcome }: FinishBody) {
    if (outcome !== 'succeeded') return undefined;
    const build = worker.requireOwn(await buildStore(db, worker.brandId).find(buildId, clock.now()));
    const isOpen =
      build.finish_digest === null && build.kind === 'build' && commitToCheck(build) !== undefined;
    return isOpen ? findChecks(build) : undefined;
  }

  /** What a review came to: by its tool, by what its desk found, or by its last words. Without a verdict it is none. */
  async function readReview(tx: Tx, build: BuildRow, said: Reported, body: FinishBody): Promise<Reported> {
    const verdict = settleVerdict(body.review) ?? build.verdict ?? readVerdict(body.result);
    if (said.name === 'report_success' && !verdict)
      return { ...said, name: 'report_failure', reason: NO_VERDICT };
    if (verdict && said.name === 'report_success')
      await reviewerStore(tx, build.brand_id).saveVerdict(build.build_id, verdict);
    return said;
  }

  return {
    async start(caller: DeskCaller, buildId: string, claim: string | undefined): Promise<StartAnswer> {
      const found = await buildStore(db, caller.brandId).find(buildId, clock.now());
      requireStartable(found, caller, claim);
      const desk = await desks.findBuilder(caller.brandId, caller.deskId);
      const written = await prepareBrief(found);
      const held = await readSettings(found);
      const setup = await readSetup(found);
      return inTransaction(db, async (tx) => {
        const locked = await buildStore(tx, caller.brandId).lock(buildId, clock.now());
        requireStartable(locked, caller, claim);
        const build =
          locked.started_at === null
            ? await lifecycle.advance(tx, locked, {
                name: 'start',
                brief: written,
                runtime: desk?.runtime ?? 'custom',
                ...held,
              })
            : locked;
        // Of two starts at once one wrote the brief that counts, and the other may have made another one.
        const brief = (await briefStore(tx, caller.brandId).find(buildId)) ?? written.text;
        const mcp = await parts.issueToken(tx, build);
        return {
          build_id: buildId,
          coder: build.coder,
          profile: build.profile,
          settings: viewSettings(build),
          wall_minutes: build.wall_minutes!,
          ...(build.kind === 'review' && { kind: build.kind }),
          branch: build.branch,
          base_sha: build.base_sha,
          brief,
          mcp,
          env: build.settings?.env ?? {},
          committer: commitIdentity,
          ...setup,
          ...((await policyStore(tx, caller.brandId).find())?.allow_secrets && { allow_secrets: true }),
        };
      });
    },

    /** Whoever did it says how it ended. */
    async finish(worker: Worker, buildId: string, body: FinishBody): Promise<FinishAnswer> {
      const finishDigest = digestOf(body);
      const checks = await readChecks(worker, buildId, body);
      return lifecycle.within(db, async (tx) => {
        const now = clock.now();
        const locked = worker.requireOwn(await buildStore(tx, worker.brandId).lock(buildId, now));
        if (locked.finish_digest !== null) {
          if (locked.finish_digest !== finishDigest) throw finishedOtherwise();
          return { build_id: buildId, status: locked.status as FinishAnswer['status'] };
        }
        if (locked.started_at === null && body.outcome === 'succeeded') throw notStarted();
        const build = await lifecycle.settle(tx, locked);
        const said = endingOf(build, body, finishDigest, now);
        if (build.kind === 'review') {
          const ended = await lifecycle.advance(tx, build, await readReview(tx, build, said, body));
          await holds.keepHold(tx, worker, body.held_until, now);
          await holds.noteRefusal(tx, worker, build, body, now);
          return { build_id: buildId, status: ended.status as FinishAnswer['status'] };
        }
        const ended =
          said.name === 'report_success'
            ? await conclusion.coderSucceeded(tx, build, said, checks)
            : await lifecycle.advance(tx, build, said);
        const hasChange =
          said.name === 'report_success' ? commitToCheck(build) !== undefined : build.head_sha !== null;
        if (hasChange) {
          await gateStore(tx, worker.brandId).wantExamination(buildId, now);
          await jobs.trigger(tx, GATE_JOB);
        }
        await holds.keepHold(tx, worker, body.held_until, now);
        await holds.noteRefusal(tx, worker, build, body, now);
        if (body.conversation?.length)
          await parts.handOver(
            tx,
            ended,
            body.conversation.map(({ role, content, at = null }) => ({ role, content, at })),
          );
        return { build_id: buildId, status: ended.status as FinishAnswer['status'] };
      });
    },
  };
}

export type RunService = ReturnType<typeof createRunService>;

/** A start may be repeated while the build runs; a claim that was canceled before it is dead. */
function requireStartable(
  build: BuildRow | undefined,
  caller: DeskCaller,
  claim: string | undefined,
): asserts build is BuildRow {
  requireClaim(build, caller, claim);
  if (build.started_at === null && build.cancel_requested_at !== null)
    throw claimLost('This build was canceled before it started');
  if (build.finish_digest !== null || (build.status !== 'claimed' && build.status !== 'running'))
    throw finishedByDesk();
}

/** A desk that knows no stop orders was told to cancel instead: it ended for the same reason. */
function readOutcome(build: BuildRow, { outcome, reason = null }: FinishBody) {
  const stopped = build.stop_reason !== null && build.cancel_requested_at === null;
  return stopped && outcome === 'canceled'
    ? ({ outcome: 'failed', reason: build.stop_reason } as const)
    : { outcome, reason };
}

const sayLate = (reason: string | null): string => {
  const late = 'The result came late, after the build had been counted as lost';
  return reason ? `${late}: ${reason}` : late;
};
