import type { Db } from '../../database/database.js';
import type { Notifications } from '../../database/notifications.js';
import { inTransaction } from '../../database/transaction.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { GitError } from './git/git-program.js';
import type { Mirror } from './git/mirror.js';
import { type DueProject, indexQueue } from './index-queue.store.js';
import { indexStore } from './indexing/index.store.js';
import type { FollowingPass, IndexFollower } from './indexing/index-follower.js';
import { type PassOutput, runIndexPass } from './indexing/index-pass.js';
import { createIndexMemory, type IndexState } from './indexing/index-state.js';
import { EXTRACTOR_VERSION } from './parsing/facts.js';
import type { ParserPool } from './parsing/parser-pool.js';
import { type ProjectRow, projectStore } from './projects.store.js';
import type { RepositoryAccess } from './repository-access.js';
import { createTurns, type Turns } from './turns.js';

export interface LookOptions {
  db: Db;
  clock: Clock;
  log: Log;
  notifications: Notifications;
  follower: IndexFollower;
  access: RepositoryAccess;
  parsers: ParserPool;
  mirrorOf(projectId: string): Mirror;
  /** Runs of git, of all kinds together. */
  gitRuns: Turns;
}

export const INDEX_CHANNEL = 'project-index';

export type Outcome = 'done' | 'failed' | 'nothing';

class Overtaken extends Error {}

/** Looks at one repository: fetches, and where there is something new, reads and stores it. */
export function createProjectLook(options: LookOptions) {
  const { db, clock, log, notifications, follower, access, parsers, mirrorOf, gitRuns } = options;
  const memory = createIndexMemory();
  // Reading takes memory and processors, where fetching takes time: fewer at once, and of a workspace one.
  const readings = createTurns({ atOnce: 4, perWorkspace: 1 });

  const announce = (projectId: string) => notifications.publish(db, INDEX_CHANNEL, { project_id: projectId });

  async function report(projectId: string, indexId: string, phase: string, done: number, total: number) {
    await indexQueue(db).noteProgress(indexId, { phase, done, total });
    await announce(projectId);
  }

  /** Whoever calls holds the project's lock. `unasked`: look even when nobody wants a pass. */
  async function look(
    { project_id: projectId, brand_id: brandId }: DueProject,
    unasked: boolean,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const queue = indexQueue(db);
    const project = await projectStore(db, brandId).find(projectId);
    if (!project?.repository_url) return 'nothing';
    let indexId = await inTransaction(db, (tx) => indexQueue(tx).claim(projectId, clock.now()));
    if (indexId === undefined && !unasked) return 'nothing';
    const begin = async () => {
      indexId ??= await queue.start(projectId, clock.now());
      await announce(projectId);
      return indexId;
    };
    try {
      if (indexId !== undefined) await announce(projectId);
      await bringUpToDate(project, indexId, begin, signal);
      await queue.prune(projectId);
      return 'done';
    } catch (error) {
      if (signal.aborted && indexId !== undefined) return 'failed';
      if (!(await projectStore(db, brandId).find(projectId))) {
        // It was deleted meanwhile, and the fetch may have made its folder again.
        await mirrorOf(projectId).remove();
        return 'nothing';
      }
      const id = await begin();
      await queue.fail(id, explain(error, project), clock.now());
      await queue.noteLook(projectId, clock.now());
      await queue.prune(projectId);
      await announce(projectId);
      return 'failed';
    }
  }

  /** One sentence for callers; what the network said is for the operator. */
  function explain(error: unknown, { project_id: projectId, brand_id: brandId }: ProjectRow): string {
    if (error instanceof Overtaken) return 'Another pass stored its result first';
    if (!(error instanceof GitError)) {
      log.error({ err: error, projectId }, 'An index pass failed');
      return 'The pass failed unexpectedly';
    }
    const reason = error.complaint.slice(0, 1000);
    if (reason !== '') log.warn({ projectId, brandId, reason }, error.message);
    return error.message;
  }

  async function bringUpToDate(
    project: ProjectRow,
    indexId: string | undefined,
    begin: () => Promise<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { project_id: projectId, brand_id: brandId } = project;
    const mirror = mirrorOf(projectId);
    if (indexId !== undefined) await report(projectId, indexId, 'fetching', 0, 1);
    const commit = await gitRuns.take(brandId, signal, () =>
      access.reach(brandId, project.repository_url!, (remote) =>
        mirror.fetch(remote, project.repository_branch, signal),
      ),
    );
    const isCurrent =
      project.ready_index_id !== null &&
      project.ready_commit === commit &&
      project.ready_extractor === EXTRACTOR_VERSION;
    if (isCurrent) {
      if (indexId !== undefined)
        await inTransaction(db, (tx) => indexQueue(tx).confirm(project, indexId, clock.now()));
      await indexQueue(db).noteLook(projectId, clock.now());
    } else {
      const id = await begin();
      await readings.take(brandId, signal, () => index(project, mirror, commit, id, signal));
    }
    await announce(projectId);
  }

  async function index(
    project: ProjectRow,
    mirror: Mirror,
    commit: string | null,
    indexId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { project_id: projectId, brand_id: brandId, index_version: version } = project;
    const state = memory.take(projectId, version) ?? (await indexStore(db, projectId).loadState(version));
    const following = await follower.open({ projectId, brandId });
    const output = await runIndexPass({
      mirror,
      parsers,
      state,
      follower: following,
      from: project.ready_commit,
      to: commit,
      stepCount: project.step_count,
      report: (phase, done, total) => report(projectId, indexId, phase, done, total),
      signal,
    });
    if (commit !== null) await mirror.keepIndexed(commit);
    await report(projectId, indexId, 'writing', 0, 1);
    state.version = await store({ project, indexId, commit, state, output, following });
    state.table.touched.clear();
    memory.keep(projectId, state);
  }

  function store(made: {
    project: ProjectRow;
    indexId: string;
    commit: string | null;
    state: IndexState;
    output: PassOutput;
    following: FollowingPass;
  }): Promise<number> {
    const { project, indexId, commit, state, output, following } = made;
    const { project_id: projectId, brand_id: brandId } = project;
    return inTransaction(db, async (tx) => {
      const present = await projectStore(tx, brandId).lock(projectId);
      if (present?.index_version !== project.index_version) throw new Overtaken();
      const rows = indexStore(tx, projectId);
      await rows.saveNodes([...state.table.touched]);
      await rows.saveEdges(output.changedEdges, output.removedEdges);
      await rows.saveFacts(output.madeFacts, output.wantedFacts, output.storedFacts);
      const { lessons, warnings } = await following.write(tx);
      const { files, nodes, edges, stepCount } = output;
      const result = { commit, files, nodes, edges, lessons, warnings: [...output.warnings, ...warnings] };
      return indexQueue(tx).complete(
        projectId,
        indexId,
        result,
        { stepCount, extractor: EXTRACTOR_VERSION },
        clock.now(),
      );
    });
  }

  return look;
}
