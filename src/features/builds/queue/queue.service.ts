import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { newId } from '../../../kernel/ids.js';
import { codersOf } from '../../../kernel/runtimes.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
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
import type { Beginning, Lifecycle } from '../lifecycle/advance.js';
import type { BuildOfReview, PreparedBuild } from '../lifecycle/attempts.js';
import { chooseCoder, readNames } from '../policy/coder-choice.js';
import { effectiveLimits, OPEN_POLICY } from '../policy/policy.service.js';
import { policyStore } from '../policy/policy.store.js';
import { tellOfBuild } from '../record/build-messages.js';
import type { WorkBell } from '../record/build-news.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BaseProject } from '../record/builds.parts.js';
import { type BuildRow, buildStore, LOCAL_MINUTES } from '../record/builds.store.js';
import type { BuildViews } from './build-views.js';
import { queueStore } from './queue.store.js';

interface QueueDeps
  extends Pick<BuildOptions, 'db' | 'clock' | 'outbox' | 'boards' | 'projects' | 'desks' | 'parts'> {
  bell: WorkBell;
  lifecycle: Lifecycle;
  views: BuildViews;
}

/** Shown on the card in the place of a desk's. */
const LOCAL_RUNTIME = 'local';

/** An open place can become free at any moment. */
const RETRY_OPEN_SECONDS = 30;

/** Asking for builds: what may be built, with whom, on which base, and how many at once. */
export function createQueueService(deps: QueueDeps) {
  const { db, clock, outbox, boards, projects, desks, parts, bell, lifecycle, views } = deps;

  async function requireDesk(caller: MemberCaller, deskId: string | undefined) {
    const desk = deskId === undefined ? undefined : await desks.findBuilder(caller.brandId, deskId);
    if (deskId !== undefined && !desk) throw deskMissing();
    return desk;
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

  /** An attempt that goes on from commits has its base: nobody needs to be asked where the branch is now. */
  async function findBase(
    project: BaseProject,
    { base_branch: asked }: NewBuild,
    continued: BuildRow | undefined,
  ): Promise<PreparedBuild['base']> {
    const wanted = asked ?? continued?.base_branch ?? null;
    const head = continued?.head_sha ?? null;
    if (head !== null && wanted !== null && wanted === continued?.base_branch)
      return { branch: wanted, sha: head, origin: continued.origin_sha ?? continued.base_sha };
    const found = await parts.resolveBase(project, wanted);
    if (!found) throw unknownBaseBranch(wanted ?? 'of the project');
    const origin = head === null ? found.sha : (continued!.origin_sha ?? continued!.base_sha);
    return { branch: found.branch, sha: head ?? found.sha, origin };
  }

  /** Everything that can be judged without holding anything, in the order of checks. `before`: what it goes on from, as its caller has it. */
  async function prepare(
    caller: MemberCaller,
    taskId: string,
    input: NewBuild,
    before?: BuildRow,
  ): Promise<PreparedBuild> {
    if (input.local && input.workstation_id !== undefined) throw localOnNoDesk();
    const asked = readNames(caller.plan, input);
    const card = await boards.getCard(caller, taskId);
    const desk = await requireDesk(caller, input.workstation_id);
    const policy = (await policyStore(db, caller.brandId).find()) ?? OPEN_POLICY;
    if (!policy.enabled) throw buildsOff();
    const choice = chooseCoder(caller.plan, asked, {
      profile: profileOf(card.agent_context),
      taskType: card.task_type,
    });
    if (desk && !codersOf(desk.runtime).includes(choice.coder)) throw deskCannotRun(choice.coder);
    const continued = before ?? (await findContinued(caller, taskId, input));
    if (desk?.suspended) throw deskSuspended();
    const project = await getProject(caller, card.project_id);
    const base = await findBase(project, input, continued);
    return {
      card,
      projectId: project.project_id,
      choice,
      base,
      ...(input.local && { beginning: await prepareBeginning(caller, taskId, input) }),
    };
  }

  /** No profile's settings: with which coder, and how long, is the person's own affair. */
  async function prepareBeginning(caller: MemberCaller, taskId: string, input: NewBuild): Promise<Beginning> {
    const brief = await parts.writeBrief({
      brand_id: caller.brandId,
      task_id: taskId,
      local: true,
      note: input.note ?? null,
      continues: input.continues?.toLowerCase() ?? null,
    });
    return { brief, runtime: LOCAL_RUNTIME, settings: null, wallMinutes: LOCAL_MINUTES, stallMinutes: 0 };
  }

  /** Held until the commit, so that two requests cannot both be the last that is allowed. */
  async function requireRoom(tx: Tx, caller: MemberCaller, taskId: string, now: Date): Promise<void> {
    const policies = policyStore(tx, caller.brandId);
    const plan = await policies.lockPlan();
    const open = await buildStore(tx, caller.brandId).lockOpenOfCard(taskId, now);
    if (open && (await lifecycle.settle(tx, open)).finished_at === null) throw buildOpen(open.build_id);
    const limits = effectiveLimits((await policies.find()) ?? OPEN_POLICY, plan);
    const counts = await queueStore(tx, caller.brandId).count(now, limits.perDay);
    if (counts.open >= limits.open) throw tooManyOpen(limits.open, RETRY_OPEN_SECONDS);
    if (counts.day_ends_in !== null) throw tooManyToday(limits.perDay, counts.day_ends_in);
  }

  /** Into the queue, as far as there is room. */
  async function addBuild(
    tx: Tx,
    caller: MemberCaller,
    taskId: string,
    input: NewBuild,
    { card, projectId, choice, base, beginning }: PreparedBuild,
  ): Promise<BuildRow> {
    const now = clock.now();
    const buildId = newId();
    await requireRoom(tx, caller, taskId, now);
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
    if (!beginning) bell.announce(tx, caller.brandId, input.workstation_id?.toLowerCase());
    const queued = (await buildStore(tx, caller.brandId).find(buildId, now))!;
    await tellOfBuild(outbox, tx, 'build.queued', queued, now);
    return queued;
  }

  return {
    /** May wait for the repository's host, so it is done before a transaction begins. */
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

/** A card may name its profile among other things that agents are told. */
function profileOf(context: unknown): string | undefined {
  const profile = (context as { profile?: unknown } | null)?.profile;
  return typeof profile === 'string' ? profile : undefined;
}
