import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { FairQueue } from '../../kernel/fair-queue.js';
import { newId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { PLAN_TERMS } from '../../kernel/plans.js';
import { recordAudit } from '../../platform/audit/audit.js';
import type { DatabaseAddress } from '../../platform/database/connection/connection.js';
import type { SessionLocks } from '../../platform/database/connection/session-locks.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { Jobs } from '../../platform/jobs/jobs.js';
import { readNetworks, resolveOutgoing } from '../../platform/outgoing/outgoing-address.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { StillAllowed } from '../identity/index.js';
import { createBranchComparison } from './branch-comparison.js';
import { createProjectChecks } from './checks/checks.service.js';
import { createProjectCommits } from './commits/project-commits.js';
import { copyRepository, makeRepository } from './git/git-program.js';
import { createMirror } from './git/mirror.js';
import { readRemote } from './git/remote-url.js';
import { followIndex } from './index-stream.js';
import type { CodeGraph } from './indexing/code-graph.js';
import { createGraphMemory } from './indexing/graph-memory.js';
import { indexQueue } from './indexing/index-queue.store.js';
import { createProjectIndexer, type IndexNews } from './project-indexer.js';
import { INDEX_CHANNEL } from './project-refresh.js';
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
import { createRepositoryCredentialService } from './repository/repository-credentials.service.js';
import { createRepositoryKeyService, showHostKey } from './repository/repository-keys.service.js';
import { CodeThreads, type StartCodeThread } from './threads/code-threads.js';

export type { NodeTable } from '../../code/graph/node-table.js';
export { CheckSetup, type ProjectChecks } from './checks/checks.schemas.js';
export { requireCardChecks } from './checks/checks-file.js';
export { PushFailed } from './commits/branch-push.js';
export type {
  ChangedTexts,
  FileLines,
  FileMove,
  LineRange,
  LineShift,
  StagedCommits,
} from './commits/project-commits.js';
/** What features that follow or walk the code need to know of it. */
export type { FileChange } from './git/tree.js';
export type { CodeGraph, EdgeKind, Neighbour, WalkedKind } from './indexing/code-graph.js';
export type { FollowedRun, FollowedStep, IndexFollower, ReadText } from './indexing/index-follower.js';
export type { ForgeToken, ProjectRow, ReachedProject };

export interface ProjectDeps {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  notifications: Notifications;
  /** Held while a repository is looked at. */
  locks: SessionLocks;
  secrets: SecretBox;
  /** Where the database is, for threads with connections of their own. */
  address: DatabaseAddress;
  startCodeThread: StartCodeThread;
  /** Whether a credential that was accepted before still is; for streams. */
  holdsStill(caller: MemberCaller): Promise<boolean>;
  requireStillAdmin: StillAllowed['requireStillAdmin'];
  repositoriesDir: string;
  mirrorsDir: string;
  /** Networks beside the internet that repositories may be in. */
  gitNetworks: readonly string[];
  /** With what the host takes pushes that a project is connected with. */
  findForgeToken?(project: ReachedProject): Promise<ForgeToken | undefined>;
  /** How long a comparison of branches may take. */
  comparisonMs?: number;
}

/** At once; those of one workspace wait for each other. */
const GIT_RUNS = { places: 32, mostPerKey: 4 };

/** The pass that works off what was asked for; the scheduled one looks at every repository. */
export const WANTED_JOB = 'project-index-wanted';

export type ProjectService = ReturnType<typeof createProjectService>;

export function createProjectService(deps: ProjectDeps) {
  const { db, clock, jobs, notifications, mirrorsDir, holdsStill, requireStillAdmin } = deps;
  const keys = createRepositoryKeyService(deps);
  const credentials = createRepositoryCredentialService({ ...deps, keys });
  const networks = readNetworks(deps.gitNetworks);
  const resolveHost = (host: string) => resolveOutgoing(host, networks);
  const access = createRepositoryAccess({ ...deps, resolveHost, keys, credentials });
  const threads = new CodeThreads({
    settings: { address: deps.address, mirrorsDir },
    start: deps.startCodeThread,
    clock,
  });
  const gitRuns = new FairQueue(GIT_RUNS);
  const mirrorOf = (projectId: string) => createMirror(mirrorsDir, projectId);
  const indexer = createProjectIndexer({ ...deps, access, threads, gitRuns, mirrorOf });
  const graphs = createGraphMemory(db);
  const commits = createProjectCommits({ ...deps, access, gitRuns, mirrorOf });

  async function getProjectRow(brandId: number, projectId: string): Promise<ProjectRow> {
    const row = await projectStore(db, brandId).find(projectId);
    if (!row) throw projectNotFound();
    return row;
  }

  /** With the host keys that are known; of many projects in one question. */
  async function viewsOf(brandId: number, rows: readonly ProjectRow[]): Promise<ProjectView[]> {
    const hosts = new Map(rows.map((row) => [row, row.repository_url && sshHostOf(row.repository_url)]));
    const asked = [...new Set([...hosts.values()].filter((host) => typeof host === 'string'))];
    const known = await keys.findHostKeys(brandId, asked);
    return rows.map((row) => viewOf(row, known.get(hosts.get(row) ?? '')));
  }

  const service = {
    indexer,
    keys,
    credentials,

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
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'project.created',
          subject: `project:${id}`,
          at: now,
        });
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
        // A token opens more of its host than one repository, and was given for that one.
        const movesToken = moves && (await credentials.holdsToken(tx, before));
        if (movesToken && caller.role !== 'admin') throw adminRequired();
        if (movesToken || isLocal(repository?.url)) await requireStillAdmin(tx, caller);
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
        return (await store.find(projectId))!;
      });
      return (await viewsOf(caller.brandId, [row]))[0]!;
    },

    async deleteProject(caller: MemberCaller, projectId: string): Promise<void> {
      await getProjectRow(caller.brandId, projectId);
      await inTransaction(db, async (tx) => {
        await projectStore(tx, caller.brandId).remove(projectId);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'project.deleted',
          subject: `project:${projectId}`,
          at: clock.now(),
        });
        await notifications.publish(tx, INDEX_CHANNEL, { project_id: projectId } satisfies IndexNews);
      });
      await mirrorOf(projectId).remove();
    },

    /** The copies on this machine that belong to a project which goes with its workspace. */
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

    /** Every change of the newest pass until it is over, or the caller may no longer read it. */
    followIndex: (caller: MemberCaller, projectId: string, signal: AbortSignal): AsyncGenerator<IndexView> =>
      followIndex({
        notifications,
        projectId,
        signal,
        holdsStill: () => holdsStill(caller),
        read: () => service.getIndex(caller, projectId),
      }),

    async listNodes(
      caller: MemberCaller,
      projectId: string,
      query: NodeQuery,
    ): Promise<{ items: NodeView[]; total: number }> {
      await getProjectRow(caller.brandId, projectId);
      return projectStore(db, caller.brandId).listNodes(projectId, query);
    },

    getProjectRow,

    /** For features that read the graph: the project's row, whoever asks must own it. */
    findProject: (brandId: number, projectId: string): Promise<ProjectRow | undefined> =>
      projectStore(db, brandId).find(projectId),

    loadGraph: (project: ProjectRow): Promise<CodeGraph> =>
      graphs.get(project.project_id, project.index_version),

    /** What changed between two branches or commits, as far as code is concerned, or which of the two is unknown. */
    compare: createBranchComparison({ ...deps, access, threads, gitRuns, mirrorOf }),

    /** Commits beside those of the repository: what coders start from and bring back. */
    commits,

    checks: createProjectChecks({ ...deps, commits }),

    /** For the demo world: a repository copied from a folder of this machine, or made of the files in one. */
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

/** Only an admin attaches what lies on the machine of the service. */
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

/** For whoever changes the lessons of a project, in the same transaction: what was remembered of them is out of date. */
export const noteLessonsChanged = (tx: Db | Tx, brandId: number, projectId: string): Promise<void> =>
  projectStore(tx, brandId).noteLessonsChanged(projectId);

/** Held until the transaction ends: of two that come for the last place, one gets it. */
async function requirePlace(store: ReturnType<typeof projectStore>, { plan }: MemberCaller): Promise<void> {
  const current = await store.countLocked();
  const limit = PLAN_TERMS[plan].projects;
  if (current >= limit) throw projectQuotaExceeded(limit, current);
}
