import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import { canRun, isBuiltInCoder } from '../../../kernel/plans.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import type { ProjectRow, ProjectService } from '../../projects/index.js';
import type { BuilderDesk } from '../../workstations/index.js';
import type { BriefService } from '../brief/brief.service.js';
import {
  buildOpen,
  buildsOff,
  cardWithoutProject,
  continuesRefused,
  deskCannotRun,
  deskMissing,
  deskSuspended,
  localOnNoDesk,
  projectWithoutIndex,
  projectWithoutRepository,
  tooManyOpen,
  tooManyToday,
  unknownBaseBranch,
} from '../builds.errors.js';
import type { BuildView, NewBuild } from '../builds.schemas.js';
import type { Lifecycle, StartData } from '../lifecycle/advance.js';
import type { BuildOfReview, PreparedBuild } from '../lifecycle/attempts.js';
import { chooseCoder, readNames } from '../policy/coder-choice.js';
import { effectiveLimits, OPEN_POLICY } from '../policy/policy.service.js';
import { policyStore } from '../policy/policy.store.js';
import type { BuildDeps } from '../record/build-deps.js';
import { type BuildRow, buildStore, LOCAL_MINUTES } from '../record/builds.store.js';
import { recordBuildEvent } from '../record/notifications.js';
import type { WorkSignal } from '../record/work-signal.js';
import type { BuildViews } from './build-views.js';
import { deskCoderStore } from './desk-coders.store.js';
import { queueStore } from './queue.store.js';

/** If the host is unreachable, the project's own branch starts at the commit that was indexed last. */
async function resolveBase(
  { commits }: ProjectService,
  project: ProjectRow,
  baseBranch: string | null,
): Promise<{ branch: string; sha: string } | undefined> {
  const { repository_branch: own, ready_commit: indexed } = project;
  try {
    const found = await commits.findBranch(project, baseBranch);
    return found && { branch: found.branch, sha: found.commit };
  } catch (error) {
    const isOwn = own !== null && (baseBranch ?? own) === own;
    if (error instanceof ApiError && error.status >= 500 && isOwn && indexed !== null)
      return { branch: own, sha: indexed };
    throw error;
  }
}

interface QueueDeps extends BuildDeps {
  workSignal: WorkSignal;
  lifecycle: Lifecycle;
  views: BuildViews;
  briefs: BriefService;
}

const LOCAL_RUNTIME = 'local';

const RETRY_OPEN_SECONDS = 30;

export type QueueService = ReturnType<typeof createQueueService>;

export function createQueueService(deps: QueueDeps) {
  const { db, clock, outbox, boards, projects, desks, workSignal, lifecycle, views, briefs } = deps;

  async function requireDesk(caller: MemberCaller, deskId: string | undefined) {
    const desk = deskId === undefined ? undefined : await desks.findBuilder(caller.brandId, deskId);
    if (deskId !== undefined && !desk) throw deskMissing();
    return desk;
  }

  /** A further coder runs only on desks that reported it. */
  async function canDeskRun(
    brandId: number,
    { deskId, runtime }: BuilderDesk,
    coder: string,
  ): Promise<boolean> {
    if (isBuiltInCoder(coder)) return canRun(runtime, coder);
    return (await deskCoderStore(db, brandId).listNames(clock.now(), deskId)).includes(coder);
  }

  async function findContinued(caller: MemberCaller, taskId: string, input: NewBuild) {
    if (input.continues === undefined) return undefined;
    const build = await buildStore(db, caller.brandId).find(input.continues.toLowerCase(), clock.now());
    if (!build || build.task_id !== taskId || build.ended_at === null || build.kind === 'review')
      throw continuesRefused();
    return build;
  }

  async function getProject(caller: MemberCaller, projectId: string | null) {
    const project = projectId === null ? undefined : await projects.findProject(caller.brandId, projectId);
    if (!project) throw cardWithoutProject();
    if (project.repository_url === null) throw projectWithoutRepository();
    if (project.ready_commit === null) throw projectWithoutIndex();
    return project;
  }

  /** An attempt that continues commits does not need the repository. */
  async function findBase(
    project: ProjectRow,
    { base_branch: asked }: NewBuild,
    continued: BuildRow | undefined,
  ): Promise<PreparedBuild['base']> {
    const wanted = asked ?? continued?.base_branch ?? null;
    const head = continued?.head_sha ?? null;
    if (head !== null && wanted !== null && wanted === continued?.base_branch)
      return { branch: wanted, sha: head, origin: continued.origin_sha ?? continued.base_sha };
    const found = await resolveBase(projects, project, wanted);
    if (!found) throw unknownBaseBranch(wanted ?? 'of the project');
    const origin = head === null ? found.sha : (continued!.origin_sha ?? continued!.base_sha);
    return { branch: found.branch, sha: head ?? found.sha, origin };
  }

  /** Saves asking the repository. `requireCapacity` checks again under a lock. */
  async function refuseOpenBuild(brandId: number, taskId: string): Promise<void> {
    const open = await buildStore(db, brandId).findOpenOfCard(taskId, clock.now());
    if (open) throw buildOpen(open);
  }

  /** Runs the checks in the documented order. `before` is the build to continue, when the caller has it. */
  async function prepare(
    caller: MemberCaller,
    taskId: string,
    input: NewBuild,
    before?: BuildRow,
  ): Promise<PreparedBuild> {
    if (input.local && input.workstation_id !== undefined) throw localOnNoDesk();
    const coders = deskCoderStore(db, caller.brandId);
    const asked = await readNames(caller.plan, input, () => coders.listNames(clock.now()));
    const card = await boards.getCard(caller, taskId);
    const desk = await requireDesk(caller, input.workstation_id);
    const policy = (await policyStore(db, caller.brandId).find()) ?? OPEN_POLICY;
    if (!policy.enabled) throw buildsOff();
    const choice = chooseCoder(caller.plan, asked, {
      profile: profileOf(card.agent_context),
      taskType: card.task_type,
    });
    if (desk && !(await canDeskRun(caller.brandId, desk, choice.coder))) throw deskCannotRun(choice.coder);
    const continued = before ?? (await findContinued(caller, taskId, input));
    if (desk?.suspended) throw deskSuspended();
    const project = await getProject(caller, card.project_id);
    if (!before) await refuseOpenBuild(caller.brandId, taskId);
    const base = await findBase(project, input, continued);
    return {
      card,
      projectId: project.project_id,
      choice,
      base,
      ...(input.local && { beginning: await prepareStart(caller, taskId, input) }),
    };
  }

  /** A local build follows no profile. */
  async function prepareStart(caller: MemberCaller, taskId: string, input: NewBuild): Promise<StartData> {
    const brief = await briefs.writeBrief({
      brand_id: caller.brandId,
      task_id: taskId,
      local: true,
      note: input.note ?? null,
      continues: input.continues?.toLowerCase() ?? null,
    });
    return { brief, runtime: LOCAL_RUNTIME, settings: null, wallMinutes: LOCAL_MINUTES, stallMinutes: 0 };
  }

  /** Locked until the commit, so that two requests cannot both take the last slot. */
  async function requireCapacity(tx: Tx, caller: MemberCaller, taskId: string, now: Date): Promise<void> {
    const policies = policyStore(tx, caller.brandId);
    const plan = await policies.lockPlan();
    const open = await buildStore(tx, caller.brandId).lockOpenOfCard(taskId, now);
    if (open && (await lifecycle.settle(tx, open)).finished_at === null) throw buildOpen(open.build_id);
    const limits = effectiveLimits((await policies.find()) ?? OPEN_POLICY, plan);
    const counts = await queueStore(tx, caller.brandId).count(now, limits.perDay);
    if (counts.open >= limits.open) throw tooManyOpen(limits.open, RETRY_OPEN_SECONDS);
    if (counts.day_ends_in !== null) throw tooManyToday(limits.perDay, counts.day_ends_in);
  }

  async function addBuild(
    tx: Tx,
    caller: MemberCaller,
    taskId: string,
    input: NewBuild,
    { card, projectId, choice, base, beginning }: PreparedBuild,
  ): Promise<BuildRow> {
    const now = clock.now();
    const buildId = newId();
    await requireCapacity(tx, caller, taskId, now);
    const queue = queueStore(tx, caller.brandId);
    const attempt = await queue.nextAttempt(taskId);
    await queue.insert({
      build_id: buildId,
      task_id: taskId,
      ref: card.ref,
      project_id: projectId,
      attempt,
      ...choice,
      wanted_workstation_id: input.workstation_id?.toLowerCase() ?? null,
      local: beginning !== undefined,
      branch: `guildhall/${card.ref.toLowerCase()}-${attempt}`,
      base_branch: base.branch,
      base_sha: base.sha,
      origin_sha: base.origin,
      continues: input.continues?.toLowerCase() ?? null,
      note: input.note ?? null,
      creator: actorIdsOf(caller),
      queued_at: now,
    });
    await recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action: 'build.requested',
      subject: `build:${buildId}`,
      details: { task_id: taskId, attempt, ...choice, ...(beginning && { local: true }) },
      at: now,
    });
    if (!beginning) workSignal.announce(tx, caller.brandId, input.workstation_id?.toLowerCase());
    const queued = (await buildStore(tx, caller.brandId).find(buildId, now))!;
    await recordBuildEvent(outbox, tx, 'build.queued', queued, now);
    return queued;
  }

  return {
    /** May wait for the repository host, so it runs before the transaction. */
    prepareBuild: prepare,
    addBuild,

    async createBuild(
      caller: MemberCaller,
      taskId: string,
      input: NewBuild,
      { prepared, decide }: BuildOfReview = {},
    ): Promise<BuildView> {
      const ready = prepared ?? (await prepare(caller, taskId, input));
      const now = clock.now();
      const row = await lifecycle.within(db, async (tx) => {
        const carryOut = await decide?.(tx, now);
        const queued = await addBuild(tx, caller, taskId, input, ready);
        await carryOut?.();
        return ready.beginning
          ? lifecycle.advance(tx, queued, { name: 'start_locally', ...ready.beginning })
          : queued;
      });
      return views.show(row, now);
    },
  };
}

function profileOf(context: unknown): string | undefined {
  const profile = (context as { profile?: unknown } | null)?.profile;
  return typeof profile === 'string' ? profile : undefined;
}
