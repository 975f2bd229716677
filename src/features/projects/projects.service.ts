import type { Db } from '../../database/database.js';
import type { Notifications } from '../../database/notifications.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { recordAudit } from '../../services/audit.js';
import type { Jobs } from '../../services/jobs.js';
import { type BranchComparison, compareBranches } from './branch-comparison.js';
import { GitError } from './git/git-program.js';
import { copyRepository, makeRepository } from './git/local-copies.js';
import type { CodeGraph } from './graph/code-graph.js';
import { GraphMemory } from './graph/graph-memory.js';
import { indexQueue } from './index-queue.store.js';
import type { IndexFollower } from './indexing/index-follower.js';
import { INDEX_CHANNEL, ProjectIndexer } from './project-indexer.js';
import { blankName, noRepository, projectNotFound, unreadableRepository } from './projects.errors.js';
import type {
  IndexView,
  NodeQuery,
  NodeView,
  ProjectChange,
  ProjectInput,
  ProjectView,
} from './projects.schemas.js';
import { type IndexRow, type ProjectRow, projectStore } from './projects.store.js';
import { RepositoryAccess } from './repository-access.js';

/** What features that follow or walk the code need to know of it. */
export type { FileChange } from './git/tree.js';
export type { CodeGraph, EdgeKind, WalkedKind } from './graph/code-graph.js';
export type { NodeTable } from './identity/node-table.js';
export type { FollowedStep, FollowingPass, IndexFollower, ReadText } from './indexing/index-follower.js';
export type { BranchComparison, ProjectRow };

export interface ProjectDeps {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  notifications: Notifications;
  follower: IndexFollower;
  repositoriesDir: string;
  mirrorsDir: string;
}

/** The pass that works off what was asked for; the scheduled one looks at every repository. */
export const WANTED_JOB = 'project-index-wanted';

export type ProjectService = ReturnType<typeof createProjectService>;

export function createProjectService(deps: ProjectDeps) {
  const { db, clock, jobs, notifications } = deps;
  const access = new RepositoryAccess(deps.repositoriesDir);
  const indexer = new ProjectIndexer({ ...deps, access });
  const graphs = new GraphMemory(db);

  async function getRow(brandId: number, projectId: string): Promise<ProjectRow> {
    const row = await projectStore(db, brandId).find(projectId);
    if (!row) throw projectNotFound();
    return row;
  }

  const service = {
    indexer,

    async createProject(caller: MemberCaller, input: ProjectInput): Promise<ProjectView> {
      const name = readName(input.name);
      const repository = await judged(access, caller, input.repository ?? null);
      const id = newId();
      const now = clock.now();
      return inTransaction(db, async (tx) => {
        const store = projectStore(tx, caller.brandId);
        await store.create({ id, name, ...repository, now });
        if (repository.url !== null) await wantIndex(tx, id);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'project.created',
          subject: `project:${id}`,
          at: now,
        });
        return viewOf((await store.find(id))!);
      });
    },

    async changeProject(
      caller: MemberCaller,
      projectId: string,
      change: ProjectChange,
    ): Promise<ProjectView> {
      const name = change.name === undefined ? undefined : readName(change.name);
      const repository =
        change.repository === undefined ? undefined : await judged(access, caller, change.repository);
      const now = clock.now();
      return inTransaction(db, async (tx) => {
        const store = projectStore(tx, caller.brandId);
        if (!(await store.lock(projectId))) throw projectNotFound();
        if (name !== undefined) await store.rename(projectId, name, now);
        if (repository) await store.attach(projectId, repository, now);
        if (repository?.url) await wantIndex(tx, projectId);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'project.changed',
          subject: `project:${projectId}`,
          at: now,
        });
        return viewOf((await store.find(projectId))!);
      });
    },

    async deleteProject(caller: MemberCaller, projectId: string): Promise<void> {
      await getRow(caller.brandId, projectId);
      await inTransaction(db, async (tx) => {
        await projectStore(tx, caller.brandId).remove(projectId);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'project.deleted',
          subject: `project:${projectId}`,
          at: clock.now(),
        });
      });
      await indexer.mirrorOf(projectId).remove();
    },

    async listProjects(caller: MemberCaller): Promise<{ projects: ProjectView[]; total: number }> {
      const projects = (await projectStore(db, caller.brandId).list()).map(viewOf);
      return { projects, total: projects.length };
    },

    async getProject(caller: MemberCaller, projectId: string): Promise<ProjectView> {
      return viewOf(await getRow(caller.brandId, projectId));
    },

    async requestIndex(
      caller: MemberCaller,
      projectId: string,
    ): Promise<{ index_id: string; status: IndexRow['status'] }> {
      const row = await getRow(caller.brandId, projectId);
      if (row.repository_url === null) throw noRepository();
      return inTransaction(db, (tx) => wantIndex(tx, projectId));
    },

    async getIndex(caller: MemberCaller, projectId: string): Promise<IndexView> {
      await getRow(caller.brandId, projectId);
      const index = await projectStore(db, caller.brandId).findIndex(projectId);
      if (!index) throw noRepository();
      return indexViewOf(index);
    },

    /** Every change of the newest pass until it is over. */
    async *watchIndex(
      caller: MemberCaller,
      projectId: string,
      signal: AbortSignal,
    ): AsyncGenerator<IndexView> {
      const changes = changesOf(notifications, projectId, signal);
      try {
        for (let first = true; ; first = false) {
          if (!first && !(await changes.next())) return;
          const view = await service.getIndex(caller, projectId);
          yield view;
          if (view.status === 'ready' || view.status === 'failed') return;
        }
      } finally {
        changes.close();
      }
    },

    async listNodes(
      caller: MemberCaller,
      projectId: string,
      query: NodeQuery,
    ): Promise<{ items: NodeView[]; total: number }> {
      await getRow(caller.brandId, projectId);
      return projectStore(db, caller.brandId).listNodes(projectId, query);
    },

    /** For features that read the graph: the project's row, whoever asks must own it. */
    findProject: (brandId: number, projectId: string): Promise<ProjectRow | undefined> =>
      projectStore(db, brandId).find(projectId),

    loadGraph: (project: ProjectRow): Promise<CodeGraph> =>
      graphs.get(project.project_id, project.index_version),

    /** What changed between two branches or commits, as far as code is concerned; undefined names the one that is unknown. */
    compare: (
      project: ProjectRow,
      base: string,
      head: string,
    ): Promise<BranchComparison | { unknown: 'base' | 'head' }> =>
      compareBranches({ indexer, access, project, base, head }).catch((error: unknown) => {
        throw error instanceof GitError ? unreadableRepository() : error;
      }),

    /** For the demo world: a repository copied from a folder of this machine, or made of the files in one. */
    copyRepository: (from: string, to: string) => copyRepository(from, to),
    makeRepository: (folder: string, message: string) => makeRepository(folder, message),

    close: () => indexer.close(),
  };

  async function wantIndex(tx: Db, projectId: string) {
    const wanted = await indexQueue(tx).enqueue(projectId, clock.now());
    await jobs.trigger(tx, WANTED_JOB);
    await notifications.publish(tx, INDEX_CHANNEL, { project_id: projectId });
    return wanted;
  }

  return service;
}

function readName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw blankName();
  return trimmed;
}

async function judged(
  access: RepositoryAccess,
  caller: MemberCaller,
  repository: { url: string; branch?: string | null } | null,
) {
  if (repository === null) return { url: null, branch: null };
  const { url, branch = null } = repository;
  await access.judge(caller.brandId, caller.role === 'admin', url, branch);
  return { url, branch };
}

function viewOf(row: ProjectRow): ProjectView {
  return {
    project_id: row.project_id,
    name: row.name,
    repository:
      row.repository_url === null ? null : { url: row.repository_url, branch: row.repository_branch },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function indexViewOf({ commit_id, started_at, finished_at, ...row }: IndexRow): IndexView {
  return {
    ...row,
    commit: commit_id,
    started_at: started_at?.toISOString() ?? null,
    finished_at: finished_at?.toISOString() ?? null,
  };
}

/** Waits for news of one project; several at once count as one. */
function changesOf(notifications: Notifications, projectId: string, signal: AbortSignal) {
  let pending = false;
  let wake: (() => void) | undefined;
  const note = () => {
    pending = true;
    wake?.();
  };
  const unsubscribe = notifications.subscribe<{ project_id: string }>(INDEX_CHANNEL, (message) => {
    if (message.project_id === projectId) note();
  });
  const forgetGap = notifications.onGap(note);
  signal.addEventListener('abort', note, { once: true });
  return {
    /** False when the listener has gone. */
    async next(): Promise<boolean> {
      if (!pending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      wake = undefined;
      pending = false;
      return !signal.aborted;
    },
    close() {
      unsubscribe();
      forgetGap();
      wake?.();
    },
  };
}
