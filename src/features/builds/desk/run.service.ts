import type { DeskCaller } from '../../../kernel/access.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { analysisStore } from '../analysis/analysis.store.js';
import type { BriefService } from '../brief/brief.service.js';
import { briefStore } from '../brief/brief.store.js';
import type { UsageInput } from '../budget/budget.schemas.js';
import type { Spending, Totals } from '../budget/spending.js';
import { claimLost, finishedByDesk, finishedOtherwise, notStarted } from '../builds.errors.js';
import { commitToCheck, createCheckDefinition } from '../checks/check-rules.js';
import type { CoderService } from '../coder/coder.service.js';
import { ANALYSIS_JOB, type Lifecycle } from '../lifecycle/advance.js';
import type { Conclusion } from '../lifecycle/conclusion.js';
import type { EndReport, StartSettings } from '../lifecycle/lifecycle.store.js';
import type { EventName } from '../lifecycle/states.js';
import { OPEN_POLICY } from '../policy/policy.service.js';
import { policyStore } from '../policy/policy.store.js';
import { digestOf, requireClaim, requireOpenWork, type Worker } from '../record/build-access.js';
import type { BuildDeps, WrittenBrief } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { viewSettings } from '../record/builds.views.js';
import { reviewerStore } from '../record/reviewer.store.js';
import { normalizeVerdict, readVerdict } from '../review/verdict-text.js';
import type { FinishAnswer, FinishBody, StartAnswer } from './desk.schemas.js';
import type { HoldService } from './holds.service.js';

interface RunDeps extends BuildDeps {
  lifecycle: Lifecycle;
  holds: HoldService;
  conclusion: Conclusion;
  spending: Spending;
  briefs: BriefService;
  coders: CoderService;
}

/** The limits of a desk whose profile sets none. */
const DESK_MINUTES = 120;
const CEILING_MINUTES = 240;

const REPORTS = {
  succeeded: 'report_success',
  failed: 'report_failure',
  canceled: 'report_cancel',
  timed_out: 'report_timeout',
} as const satisfies Record<FinishBody['outcome'], EventName>;

type Report = EndReport & { name: (typeof REPORTS)[FinishBody['outcome']] | 'report_again' };

const NO_VERDICT = 'The review ended without a verdict';

export type RunService = ReturnType<typeof createRunService>;

export function createRunService(deps: RunDeps) {
  const { db, clock, jobs, desks, projects, briefs, coders, lifecycle, holds, conclusion, spending } = deps;
  const findChecks = createCheckDefinition(deps);

  async function prepareBrief(build: BuildRow): Promise<WrittenBrief> {
    const kept = await briefStore(db, build.brand_id).find(build.build_id);
    return kept === undefined ? briefs.writeBrief(build) : { text: kept, guestWords: build.guest_words };
  }

  /** The settings of profile and policy at the start hold for the whole build. */
  async function readSettings({ brand_id, coder, profile }: BuildRow): Promise<StartSettings> {
    const { max_minutes, stall_minutes: stallMinutes } =
      (await policyStore(db, brand_id).find()) ?? OPEN_POLICY;
    const desk = { coder, minutes: DESK_MINUTES, ceilingMinutes: CEILING_MINUTES };
    const read = await deps.coderProfiles.readBuildSettings(brand_id, profile ?? undefined, desk);
    const wallMinutes = Math.min(read.wall_minutes, max_minutes ?? Number.POSITIVE_INFINITY);
    if (!read.applied) return { settings: null, wallMinutes, stallMinutes };
    const { version, model, effort, limits, env } = read;
    const settings = { version: version!, model, effort, limits: limits!, wall_minutes: wallMinutes, env };
    return { settings, wallMinutes, stallMinutes };
  }

  /**
   * The setup is read where the line of attempts started, because a coder must not choose what runs before
   * the next one.
   */
  async function readSetup(
    build: BuildRow,
  ): Promise<Pick<StartAnswer, 'project_id' | 'setup' | 'trusted_base' | 'notes'>> {
    const { kind, brand_id, project_id, base_sha, origin_sha, continues } = build;
    const origin = origin_sha ?? (continues === null ? base_sha : undefined);
    const common = { project_id, trusted_base: origin === base_sha };
    const project = kind === 'review' ? undefined : await projects.findProject(brand_id, project_id);
    if (!project) return { ...common, setup: null };
    const { definition, fault } = await projects.checks.findAt(project, origin);
    return { ...common, setup: definition.setup, ...(fault && { notes: [fault] }) };
  }

  /** A build that the service has ended keeps its outcome, except that a late report replaces `lost`. */
  function readReport(build: BuildRow, body: FinishBody, finishDigest: string, now: Date): Report {
    const { result = null, usage: used } = body;
    // A report with only nulls means unknown usage, not zero.
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

  /** Runs before the transaction, because it may wait for the repository host. */
  async function readChecks(worker: Worker, buildId: string, { outcome }: FinishBody) {
    if (outcome !== 'succeeded') return undefined;
    const build = worker.requireOwn(await buildStore(db, worker.brandId).find(buildId, clock.now()));
    const isOpen =
      build.finish_digest === null && build.kind === 'build' && commitToCheck(build) !== undefined;
    return isOpen ? findChecks(build) : undefined;
  }

  /** The verdict comes from the desk, the coder's tool or its last message. Without one, the review fails. */
  async function endReview(tx: Tx, build: BuildRow, report: Report, body: FinishBody): Promise<BuildRow> {
    if (report.name !== 'report_success') return lifecycle.advance(tx, build, report);
    const verdict = normalizeVerdict(body.review) ?? build.verdict ?? readVerdict(body.result);
    if (!verdict)
      return lifecycle.advance(tx, build, { ...report, name: 'report_failure', reason: NO_VERDICT });
    await reviewerStore(tx, build.brand_id).saveVerdict(build.build_id, verdict);
    return lifecycle.advance(tx, build, report);
  }

  async function endBuild(
    tx: Tx,
    build: BuildRow,
    report: Report,
    checks: Awaited<ReturnType<typeof readChecks>>,
  ): Promise<BuildRow> {
    const succeeded = report.name === 'report_success';
    const ended = succeeded
      ? await conclusion.coderSucceeded(tx, build, report, checks)
      : await lifecycle.advance(tx, build, report);
    if (succeeded ? commitToCheck(build) !== undefined : build.head_sha !== null) {
      await analysisStore(tx, build.brand_id).requestAnalysis(build.build_id, clock.now());
      await jobs.trigger(tx, ANALYSIS_JOB);
    }
    return ended;
  }

  /** A reviewer reads the change and needs no secrets. */
  const openSecrets = ({ brand_id, project_id, kind }: BuildRow) =>
    kind === 'build' ? projects.secrets.open(brand_id, project_id, ['setup', 'coder']) : undefined;

  return {
    async start(caller: DeskCaller, buildId: string, claim: string | undefined): Promise<StartAnswer> {
      const found = await buildStore(db, caller.brandId).find(buildId, clock.now());
      requireStartable(found, caller, claim);
      const desk = await desks.findBuilder(caller.brandId, caller.deskId);
      const written = await prepareBrief(found);
      const settings = await readSettings(found);
      const setup = await readSetup(found);
      const secrets = await openSecrets(found);
      return inTransaction(db, async (tx) => {
        const locked = await buildStore(tx, caller.brandId).lock(buildId, clock.now());
        requireStartable(locked, caller, claim);
        const runtime = desk?.runtime ?? 'custom';
        const build =
          locked.started_at === null
            ? await lifecycle.advance(tx, locked, { name: 'start', brief: written, runtime, ...settings })
            : locked;
        // When two starts race, the brief that was stored first counts.
        const brief = (await briefStore(tx, caller.brandId).find(buildId)) ?? written.text;
        const mcp = await coders.issueToken(tx, build);
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
          env: { ...build.settings?.env, ...secrets?.coder },
          ...(secrets && {
            setup_env: secrets.setup,
            secret_names: Object.keys({ ...secrets.setup, ...secrets.coder }),
          }),
          committer: deps.commitIdentity,
          ...setup,
          ...((await policyStore(tx, caller.brandId).find())?.allow_secrets && { allow_secrets: true }),
        };
      });
    },

    reportUsage: (
      caller: DeskCaller,
      buildId: string,
      claim: string | undefined,
      usage: UsageInput,
    ): Promise<Totals> =>
      inTransaction(db, async (tx) => {
        const build = await buildStore(tx, caller.brandId).lock(buildId, clock.now());
        requireOpenWork(build, caller, claim);
        return spending.report(tx, build, usage);
      }),

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
        const report = readReport(build, body, finishDigest, now);
        const ended =
          build.kind === 'review'
            ? await endReview(tx, build, report, body)
            : await endBuild(tx, build, report, checks);
        await holds.keepHold(tx, worker, body.held_until, now);
        await holds.noteRefusal(tx, worker, build, body, now);
        if (build.kind === 'build' && body.conversation?.length)
          await coders.handOver(
            tx,
            ended,
            body.conversation.map(({ role, content, at = null }) => ({ role, content, at })),
          );
        return { build_id: buildId, status: ended.status as FinishAnswer['status'] };
      });
    },
  };
}

/** A start may be repeated while the build runs. A claim that was canceled before the start is dead. */
function requireStartable(
  build: BuildRow | undefined,
  caller: DeskCaller,
  claim: string | undefined,
): asserts build is BuildRow {
  requireClaim(build, caller, claim);
  if (build.started_at === null && build.cancel_requested_at !== null)
    throw claimLost('This build was canceled before it started');
  if (build.finish_digest !== null || !['claimed', 'running', 'waiting'].includes(build.status))
    throw finishedByDesk();
}

/**
 * A desk that does not know stop orders got a cancel order instead, so its `canceled` means a failed build.
 */
function readOutcome(build: BuildRow, { outcome, reason = null }: FinishBody) {
  const stopped = build.stop_reason !== null && build.cancel_requested_at === null;
  if (stopped && outcome === 'canceled') return { outcome: 'failed', reason: build.stop_reason } as const;
  // A desk cannot see every call of the `done` tool.
  const unchanged = outcome === 'failed' && reason?.startsWith(WITHOUT_CHANGE);
  return unchanged && build.confirmed
    ? ({ outcome: 'succeeded', reason: null } as const)
    : { outcome, reason };
}

const WITHOUT_CHANGE = 'Ended without a change';

const sayLate = (reason: string | null): string => {
  const late = 'The result came late, after the build had been counted as lost';
  return reason ? `${late}: ${reason}` : late;
};
