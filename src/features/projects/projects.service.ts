import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { ApiError } from '../../kernel/errors.js';
import { FairQueue } from '../../kernel/fair-queue.js';
import { newId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { PLAN_TERMS } from '../../kernel/plans.js';
import { recordAudit } from '../../platform/audit/audit.js';
import type { DatabaseAddress } from '../../platform/database/connection/connection.js';
import type { SessionLocks } from '../../platform/database/connection/session-locks.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import { createFollowers } from '../../platform/events/live-followers.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { Jobs } from '../../platform/jobs/jobs.js';
import { readNetworks, resolveOutgoing } from '../../platform/outgoing/outgoing-address.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { CallerChecks } from '../identity/index.js';
import { createBranchComparison } from './branch-comparison.js';
import { createProjectChecks } from './checks.js';
import { createProjectCommits } from './commits/project-commits.js';
import { copyRepository, makeRepository } from './git/git-program.js';
import { createMirror } from './git/mirror.js';
import { readRemote } from './git/remote-url.js';
import type { CodeGraph } from './indexing/code-graph.js';
import { createGraphMemory } from './indexing/graph-memory.js';
import { indexQueue } from './indexing/index-queue.store.js';
import { createProjectIndexer, INDEX_CHANNEL, type IndexNews, WANTED_JOB } from './project-indexer.js';
import {
  adminRequired,
  blankName,
  noRepository,
  projectNotFound,
  projectQuotaExceeded,
} from './projects.errors.js';
import type {
  IndexView,
  NodeQuery,
  NodeView,
  ProjectChange,
  ProjectInput,
  ProjectView,
} from './projects.schemas.js';
import {
  type IndexRow,
  type ProjectName,
  type ProjectRow,
  projectStore,
} from './repository/projects.store.js';
import {
  createRepositoryAccess,
  type ForgeToken,
  type ReachedProject,
  type RepositoryAccess,
  sshHostOf,
} from './repository/repository-access.js';
import { createRepositoryCredentials, showHostKey } from './repository/repository-credentials.service.js';
import { createProjectSecrets } from './secrets/project-secrets.service.js';
import { CodeThreads, type StartCodeThread } from './threads/code-threads.js';

export interface ProjectDeps {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  notifications: Notifications;
  locks: SessionLocks;
  secrets: SecretBox;
  address: DatabaseAddress;
  startCodeThread: StartCodeThread;
  isStillValid(caller: MemberCaller): Promise<boolean>;
  requireStillAdmin: CallerChecks['requireStillAdmin'];
  repositoriesDir: string;
  mirrorsDir: string;
  /** Private networks in which repositories are allowed. */
  gitNetworks: readonly string[];
  findForgeToken?(project: ReachedProject): Promise<ForgeToken | undefined>;
  comparisonMs?: number;
}

/** Concurrent git runs, in total and per workspace; further runs wait. */
const GIT_RUNS = { places: 32, mostPerKey: 4 };

/** Tokens also expire, which publishes no event. */
const ASK_AGAIN_MS = 15_000;

export type ProjectService = ReturnType<typeof createProjectService>;

export function createProjectService(deps: ProjectDeps) {
  const { db, clock, jobs, notifications, mirrorsDir, isStillValid, requireStillAdmin } = deps;
  const credentials = createRepositoryCredentials(deps);
  const secrets = createProjectSecrets(deps);
  const networks = readNetworks(deps.gitNetworks);
  const resolveHost = (host: string) => resolveOutgoing(host, networks);
  const access = createRepositoryAccess({ ...deps, resolveHost, credentials });
  const threads = new CodeThreads({
    settings: { address: deps.address, mirrorsDir },
    start: deps.startCodeThread,
    clock,
  });
  const gitRuns = new FairQueue(GIT_RUNS);
  const mirrorOf = (projectId: string) => createMirror(mirrorsDir, projectId);
  const indexer = createProjectIndexer({ ...deps, access, threads, gitRuns, mirrorOf });
  const graphs = createGraphMemory(db);
  const followers = createFollowers<IndexNews>(notifications, INDEX_CHANNEL, ({ project_id }) => [
    project_id,
  ]);
  const commits = createProjectCommits({ ...deps, access, gitRuns, mirrorOf });

  async function getProjectRow(brandId: number, projectId: string): Promise<ProjectRow> {
    const row = await projectStore(db, brandId).find(projectId);
    if (!row) throw projectNotFound();
    return row;
  }

  const audit = (tx: Tx, caller: MemberCaller, action: string, projectId: string): Promise<void> =>
    recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action,
      subject: `project:${projectId}`,
      at: clock.now(),
    });

  async function viewsOf(brandId: number, rows: readonly ProjectRow[]): Promise<ProjectView[]> {
    const hosts = new Map(rows.map((row) => [row, row.repository_url && sshHostOf(row.repository_url)]));
    const asked = [...new Set([...hosts.values()].filter((host) => typeof host === 'string'))];
    const known = await credentials.findHostKeys(brandId, asked);
    return rows.map((row) => viewOf(row, known.get(hosts.get(row) ?? '')));
  }

  const service = {
    indexer,
    credentials,
    secrets,

    async createProject(caller: MemberCaller, input: ProjectInput): Promise<ProjectView> {
      const name = readName(input.name);
      const repository = await judged(access, caller, input.repository ?? null);
      const id = newId();
      const now = clock.now();
      const row = await inTransaction(db, async (tx) => {
        if (isLocal(repository.url)) await requireStillAdmin(tx, caller);
        const store = projectStore(tx, caller.brandId);
        await requirePlace(store, caller);
        await store.create({ id, name, ...repository, now });
        if (repository.url !== null) await wantIndex(tx, id);
        await audit(tx, caller, 'project.created', id);
        return (await store.find(id))!;
      });
      return (await viewsOf(caller.brandId, [row]))[0]!;
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
      const row = await inTransaction(db, async (tx) => {
        const store = projectStore(tx, caller.brandId);
        const before = await store.lock(projectId);
        if (!before) throw projectNotFound();
        const moves = repository !== undefined && repository.url !== before.repository_url;
        // A token can open several repositories of its host, but was given for this one.
        const movesToken = moves && (await credentials.holdsToken(tx, before));
        if (movesToken && caller.role !== 'admin') throw adminRequired();
        if (movesToken || isLocal(repository?.url)) await requireStillAdmin(tx, caller);
        if (name !== undefined) await store.rename(projectId, name, now);
        if (repository) await store.attach(projectId, repository, now);
        if (repository?.url) await wantIndex(tx, projectId);
        await audit(tx, caller, 'project.changed', projectId);
        return (await store.find(projectId))!;
      });
      return (await viewsOf(caller.brandId, [row]))[0]!;
    },

    async deleteProject(caller: MemberCaller, projectId: string): Promise<void> {
      await getProjectRow(caller.brandId, projectId);
      await inTransaction(db, async (tx) => {
        await projectStore(tx, caller.brandId).remove(projectId);
        await audit(tx, caller, 'project.deleted', projectId);
        await notifications.publish(tx, INDEX_CHANNEL, { project_id: projectId } satisfies IndexNews);
      });
      await mirrorOf(projectId).remove();
    },

    removeMirror: (projectId: string): Promise<void> => mirrorOf(projectId).remove(),

    async listProjects(caller: MemberCaller): Promise<{ projects: ProjectView[]; total: number }> {
      const projects = await viewsOf(caller.brandId, await projectStore(db, caller.brandId).list());
      return { projects, total: projects.length };
    },

    listNames: (brandId: number, words: readonly string[]): Promise<ProjectName[]> =>
      projectStore(db, brandId).listNames(words),

    async getProject(caller: MemberCaller, projectId: string): Promise<ProjectView> {
      const row = await getProjectRow(caller.brandId, projectId);
      return (await viewsOf(caller.brandId, [row]))[0]!;
    },

    async requestIndex(
      caller: MemberCaller,
      projectId: string,
    ): Promise<{ index_id: string; status: IndexRow['status'] }> {
      const row = await getProjectRow(caller.brandId, projectId);
      if (row.repository_url === null) throw noRepository();
      return inTransaction(db, (tx) => wantIndex(tx, projectId));
    },

    async getIndex(caller: MemberCaller, projectId: string): Promise<IndexView> {
      await getProjectRow(caller.brandId, projectId);
      const index = await projectStore(db, caller.brandId).findIndex(projectId);
      if (!index) throw noRepository();
      return indexViewOf(index);
    },

    async *followIndex(
      caller: MemberCaller,
      projectId: string,
      signal: AbortSignal,
    ): AsyncGenerator<IndexView> {
      const follower = followers.follow(projectId, signal);
      let sent = '';
      try {
        do {
          // A stream outlives the authorization of its request.
          if (!(await isStillValid(caller))) return;
          const view = await service.getIndex(caller, projectId);
          const text = JSON.stringify(view);
          if (text !== sent) yield view;
          sent = text;
          if (view.status === 'ready' || view.status === 'failed') return;
        } while ((await follower.next(ASK_AGAIN_MS)) !== 'end');
      } catch (error) {
        // The project was deleted: the stream ends.
        if (!(error instanceof ApiError)) throw error;
      } finally {
        follower.close();
      }
    },

    async listNodes(
      caller: MemberCaller,
      projectId: string,
      query: NodeQuery,
    ): Promise<{ items: NodeView[]; total: number }> {
      await getProjectRow(caller.brandId, projectId);
      return projectStore(db, caller.brandId).listNodes(projectId, query);
    },

    getProjectRow,

    findProject: (brandId: number, projectId: string): Promise<ProjectRow | undefined> =>
      projectStore(db, brandId).find(projectId),

    loadGraph: (project: ProjectRow): Promise<CodeGraph> =>
      graphs.get(project.project_id, project.index_version),

    compare: createBranchComparison({ ...deps, access, threads, gitRuns, mirrorOf }),

    commits,

    checks: createProjectChecks({ ...deps, commits }),

    /** For the demo. */
    copyRepository: (from: string, to: string) => copyRepository(from, to),
    makeRepository: (folder: string, message: string) => makeRepository(folder, message),

    close: () => threads.close(),
  };

  async function wantIndex(tx: Db, projectId: string) {
    const wanted = await indexQueue(tx).enqueue(projectId, clock.now());
    await jobs.trigger(tx, WANTED_JOB);
    await notifications.publish(tx, INDEX_CHANNEL, {
      project_id: projectId,
      wanted: true,
    } satisfies IndexNews);
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

/** Only an admin may attach a repository of the server's file system. */
const isLocal = (url: string | null | undefined): boolean => !!url && readRemote(url)?.kind === 'path';

function viewOf(row: ProjectRow, hostKey: string | undefined): ProjectView {
  const { repository_url: url, repository_branch: branch } = row;
  const host_key = hostKey === undefined ? null : showHostKey(hostKey);
  return {
    project_id: row.project_id,
    name: row.name,
    repository: url === null ? null : { url, branch, host_key },
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

/** Call it in the transaction that changes lessons of a project, to invalidate cached ones. */
export const noteLessonsChanged = (tx: Db | Tx, brandId: number, projectId: string): Promise<void> =>
  projectStore(tx, brandId).noteLessonsChanged(projectId);

/** Locks until the end of the transaction, so that two requests cannot both take the last slot. */
async function requirePlace(store: ReturnType<typeof projectStore>, { plan }: MemberCaller): Promise<void> {
  const current = await store.countLocked();
  const limit = PLAN_TERMS[plan].projects;
  if (current >= limit) throw projectQuotaExceeded(limit, current);
}
