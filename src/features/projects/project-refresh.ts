import { EXTRACTOR_VERSION } from '../../code/parsing/facts.js';
import type { Clock } from '../../kernel/clock.js';
import { FairQueue } from '../../kernel/fair-queue.js';
import type { Log } from '../../kernel/log.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import { GitError } from './git/git-program.js';
import type { Mirror } from './git/mirror.js';
import { type DueProject, indexQueue } from './indexing/index-queue.store.js';
import { type ProjectRow, projectStore } from './repository/projects.store.js';
import type { RepositoryAccess } from './repository/repository-access.js';
import { Overtaken, ThreadDied } from './threads/code-tasks.js';
import type { CodeThreads } from './threads/code-threads.js';

export interface RefreshOptions {
  db: Db;
  clock: Clock;
  log: Log;
  notifications: Notifications;
  access: RepositoryAccess;
  threads: CodeThreads;
  mirrorOf(projectId: string): Mirror;
  /** Runs of git, of all kinds together. */
  gitRuns: FairQueue;
}

export const INDEX_CHANNEL = 'project-index';

export type Outcome = 'done' | 'failed' | 'nothing';

/** So often a pass over one commit may take its thread, or the whole program, down with it. */
const MOST_TRIES = 2;
const DIED =
  'The pass ended twice before it was done; it is tried again when there is a new commit, or when somebody asks for it';

/** Looks at one repository: fetches, and where there is something new, reads and stores it. */
export function createProjectRefresh(options: RefreshOptions) {
  const { db, clock, log, notifications, access, threads, mirrorOf, gitRuns } = options;
  // Reading takes memory and processors, where fetching takes time: fewer at once, and of a workspace one.
  const readings = new FairQueue({ places: 2, mostPerKey: 1 });

  const announce = (projectId: string) => notifications.publish(db, INDEX_CHANNEL, { project_id: projectId });

  async function report(projectId: string, indexId: string, phase: string, done: number, total: number) {
    await indexQueue(db).noteProgress(indexId, { phase, done, total });
    await announce(projectId);
  }

  /** Whoever calls holds the project's lock. `unasked`: look even when nobody wants a pass. */
  async function refresh(
    { project_id: projectId, brand_id: brandId }: DueProject,
    unasked: boolean,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const queue = indexQueue(db);
    if (!(await projectStore(db, brandId).find(projectId))?.repository_url) return 'nothing';
    let indexId = await inTransaction(db, (tx) => indexQueue(tx).claim(projectId, clock.now()));
    if (indexId === undefined && !unasked) return 'nothing';
    const project = await projectStore(db, brandId).find(projectId);
    if (!project?.repository_url) return 'nothing';
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
      await queue.noteRefresh(projectId, clock.now());
      await queue.prune(projectId);
      await announce(projectId);
      return 'failed';
    }
  }

  /** One sentence for callers; what the network said is for the operator. */
  function explain(error: unknown, { project_id: projectId, brand_id: brandId }: ProjectRow): string {
    if (error instanceof Overtaken) return 'Another pass stored its result first';
    if (error instanceof ThreadDied) {
      log.error({ err: error, projectId, brandId }, 'An index pass ended before it was done');
      return DIED;
    }
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
    // Whoever asks for a pass knows of something new, most of the time.
    if (indexId !== undefined) {
      threads.warmUp();
      await report(projectId, indexId, 'fetching', 0, 1);
    }
    const commit = await gitRuns.run(
      String(brandId),
      () =>
        access.reach({ ...project, repository_url: project.repository_url! }, (remote) =>
          mirror.fetch(remote, project.repository_branch, signal),
        ),
      signal,
    );
    const isCurrent =
      project.ready_index_id !== null &&
      project.ready_commit === commit &&
      project.ready_extractor === EXTRACTOR_VERSION;
    if (isCurrent) {
      if (indexId !== undefined)
        await inTransaction(db, (tx) => indexQueue(tx).confirm(project, indexId, clock.now()));
      await indexQueue(db).noteRefresh(projectId, clock.now());
    } else if (hasDied(project, commit)) {
      if (indexId !== undefined) throw new ThreadDied('with the program, at earlier passes');
      await indexQueue(db).noteRefresh(projectId, clock.now());
    } else {
      const id = await begin();
      await readings.run(String(brandId), () => index(project, commit, id, signal), signal);
    }
    await announce(projectId);
  }

  /** A thread that dies costs its pass and nothing else; what takes the program along is counted by then. */
  async function index(
    project: ProjectRow,
    commit: string | null,
    indexId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { project_id: projectId, brand_id: brandId } = project;
    const task = {
      kind: 'index' as const,
      projectId,
      brandId,
      indexId,
      version: project.index_version,
      from: project.ready_commit,
      stepCount: project.step_count,
      commit,
    };
    for (;;) {
      const tries = await indexQueue(db).beginTry(projectId, commit, EXTRACTOR_VERSION);
      try {
        return await threads.run(task, {
          signal,
          onProgress: ({ phase, done, total }) => report(projectId, indexId, phase, done, total),
        });
      } catch (error) {
        if (!(error instanceof ThreadDied)) {
          await indexQueue(db).endTries(projectId);
          throw error;
        }
        if (tries >= MOST_TRIES) throw error;
        log.warn({ err: error, projectId, brandId }, 'An index pass is tried once more');
      }
    }
  }

  return refresh;
}

const hasDied = (project: ProjectRow, commit: string | null): boolean =>
  project.tries >= MOST_TRIES &&
  project.tried_commit === commit &&
  project.tried_extractor === EXTRACTOR_VERSION;
