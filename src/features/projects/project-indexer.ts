import { EXTRACTOR_VERSION } from '../../code/parsing/facts.js';
import type { Clock } from '../../kernel/clock.js';
import { FairQueue } from '../../kernel/fair-queue.js';
import type { Log } from '../../kernel/log.js';
import type { SessionLocks } from '../../platform/database/connection/session-locks.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { JobDefinition, JobResult } from '../../platform/jobs/jobs.js';
import { GitError } from './git/git-program.js';
import type { Mirror } from './git/mirror.js';
import { type DueProject, indexQueue } from './indexing/index-queue.store.js';
import { type ProjectRow, projectStore } from './repository/projects.store.js';
import type { RepositoryAccess } from './repository/repository-access.js';
import { type CodeThreads, Overtaken, ThreadDied } from './threads/code-threads.js';

interface IndexerOptions {
  db: Db;
  clock: Clock;
  log: Log;
  notifications: Notifications;
  access: RepositoryAccess;
  threads: CodeThreads;
  mirrorOf(projectId: string): Mirror;
  gitRuns: FairQueue;
  locks: SessionLocks;
}

export const INDEX_CHANNEL = 'project-index';

/** Runs the requested index runs; the scheduled job checks every repository. */
export const WANTED_JOB = 'project-index-wanted';

type Outcome = 'done' | 'failed' | 'nothing';

/** How often a run over one commit may end its thread or the whole process. */
const MOST_TRIES = 2;
const DIED =
  'The index run ended early twice. It is retried when there is a new commit, or when you request it.';

function createProjectRefresh(options: IndexerOptions) {
  const { db, clock, log, notifications, access, threads, mirrorOf, gitRuns } = options;
  // Reading uses more memory and CPU than fetching, so fewer run at once.
  const readings = new FairQueue({ places: 2, mostPerKey: 1 });

  const announce = (projectId: string) => notifications.publish(db, INDEX_CHANNEL, { project_id: projectId });

  async function report(projectId: string, indexId: string, phase: string, done: number, total: number) {
    await indexQueue(db).noteProgress(indexId, { phase, done, total });
    await announce(projectId);
  }

  /** The caller holds the project's lock. `unasked` checks the repository even without a request. */
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
        // The project was deleted, and the fetch may have created the folder again.
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

  /** The returned sentence is public; details go to the log. */
  function explain(error: unknown, { project_id: projectId, brand_id: brandId }: ProjectRow): string {
    if (error instanceof Overtaken) return 'Another index run stored its result first';
    if (error instanceof ThreadDied) {
      log.error({ err: error, projectId, brandId }, 'An index run ended early');
      return DIED;
    }
    if (!(error instanceof GitError)) {
      log.error({ err: error, projectId }, 'An index run failed');
      return 'The index run failed unexpectedly';
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
    // A request usually means that there are new commits.
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
      if (indexId !== undefined) throw new ThreadDied('with the process, in earlier runs');
      await indexQueue(db).noteRefresh(projectId, clock.now());
    } else {
      const id = await begin();
      await readings.run(String(brandId), () => index(project, commit, id, signal), signal);
    }
    await announce(projectId);
  }

  /** Retries after the death of a thread; attempts that ended the process were counted before. */
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
        log.warn({ err: error, projectId, brandId }, 'Retrying an index run');
      }
    }
  }

  return refresh;
}

const hasDied = (project: ProjectRow, commit: string | null): boolean =>
  project.tries >= MOST_TRIES &&
  project.tried_commit === commit &&
  project.tried_extractor === EXTRACTOR_VERSION;

export interface IndexNews {
  project_id: string;
  wanted?: true;
}

/** Repositories fetched at once. A workspace whose host does not respond delays only itself. */
const REFRESHES = { places: 8, mostPerKey: 2 };
const RUN_MS = 8 * 60_000;

export function createProjectIndexer(options: IndexerOptions) {
  const { db, log, notifications, locks } = options;
  const refresh = createProjectRefresh(options);
  const refreshQueue = new FairQueue(REFRESHES);

  /** Refreshes projects in fair order, and accepts more while it runs. */
  function openRun(unasked: boolean, signal: AbortSignal) {
    const result = { processed: 0, failed: 0 };
    const waiting = new Set<string>();
    const running = new Set<Promise<void>>();
    const deadline = unasked ? AbortSignal.any([signal, AbortSignal.timeout(RUN_MS)]) : signal;

    async function refreshQueued(project: DueProject): Promise<Outcome> {
      try {
        return await refreshQueue.run(
          String(project.brand_id),
          () => {
            waiting.delete(project.project_id);
            return locks.hold(`project-index ${project.project_id}`, signal, (until) =>
              refresh(project, unasked, until),
            );
          },
          deadline,
        );
      } catch (error) {
        if (waiting.has(project.project_id) || signal.aborted) return 'nothing';
        throw error;
      }
    }

    function add(projects: readonly DueProject[]): void {
      for (const project of projects) {
        if (waiting.has(project.project_id)) continue;
        waiting.add(project.project_id);
        const refreshing = refreshQueued(project).then((outcome) => {
          if (outcome === 'failed') result.failed++;
          else if (outcome === 'done') result.processed++;
        });
        running.add(refreshing);
        const leave = () => running.delete(refreshing);
        refreshing.then(leave, leave);
      }
    }

    async function finish(): Promise<JobResult> {
      const faults: unknown[] = [];
      while (running.size > 0)
        for (const end of await Promise.allSettled(running))
          if (end.status === 'rejected') faults.push(end.reason);
      if (faults.length > 0) throw faults[0];
      return result;
    }

    return { add, finish };
  }

  return {
    async runAll(signal: AbortSignal): Promise<JobResult> {
      const run = openRun(true, signal);
      run.add(await indexQueue(db).listAll());
      return run.finish();
    },

    /** Accepts requests during the run, so that a host that does not respond delays no other project. */
    async runWanted(signal: AbortSignal): Promise<JobResult> {
      const run = openRun(false, signal);
      const addRequested = async () => {
        try {
          run.add(await indexQueue(db).listOpen(['queued']));
        } catch (error) {
          log.warn({ err: error }, 'Cannot list the requested index runs');
        }
      };
      const unsubscribe = notifications.subscribe<IndexNews>(INDEX_CHANNEL, ({ wanted }) =>
        wanted ? addRequested() : undefined,
      );
      const stopGap = notifications.onGap(() => void addRequested());
      try {
        run.add(await indexQueue(db).listOpen(['queued', 'running']));
        return await run.finish();
      } finally {
        unsubscribe();
        stopGap();
      }
    },
  };
}

export function projectJobs({
  indexer,
}: {
  indexer: ReturnType<typeof createProjectIndexer>;
}): JobDefinition[] {
  return [
    {
      name: 'project-index',
      description: 'Checks all repositories for new commits and indexes them.',
      schedule: { cron: '*/10 * * * *' },
      run: ({ signal }) => indexer.runAll(signal),
    },
    {
      name: WANTED_JOB,
      description: 'Runs requested and interrupted index runs.',
      atStart: true,
      run: ({ signal }) => indexer.runWanted(signal),
    },
  ];
}
