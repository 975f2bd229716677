import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../kernel/errors.js';
import type { FairQueue } from '../../../kernel/fair-queue.js';
import type { Log } from '../../../kernel/log.js';
import { GitError, type RunGit } from '../git/git-program.js';
import type { Mirror, OpenRemote } from '../git/mirror.js';
import { isBranchName } from '../git/remote-url.js';
import { openRunFolder } from '../git/run-folder.js';
import {
  checksNoFile,
  invalidDiffPath,
  repositoryOutOfReach,
  repositoryTooSlow,
} from '../projects.errors.js';
import type { ProjectRow } from '../repository/projects.store.js';
import type { RepositoryAccess } from '../repository/repository-access.js';
import { PushFailed, pushBranch, pushOnto } from './branch-push.js';
import { isRepositoryPath, listConflicts, readDiff, readMoves } from './diffs.js';
import {
  type Arrival,
  openQuarantine,
  readPieces,
  type StagedCommits,
  writeBundleHeader,
} from './quarantine.js';
import { type LineRange, readChangedTexts, readLines } from './texts.js';

export const BASE_REF = 'refs/heads/base';

const ASK_MS = 30_000;
const BUNDLE_MS = 5 * 60_000;
const UNREACHABLE = 'The repository is not reachable';

export type ProjectCommits = ReturnType<typeof createProjectCommits>;

interface Wanted {
  commit: string;
  branch: string;
}

type Repository = Pick<ProjectRow, 'project_id' | 'brand_id' | 'repository_url'>;
type BranchedRepository = Repository & Pick<ProjectRow, 'repository_branch'>;

/**
 * Stores commits apart from the repository's own refs: what a coder starts from and what it submits. Every
 * run waits in the queue of its workspace and has a deadline.
 */
export function createProjectCommits(options: {
  access: RepositoryAccess;
  gitRuns: FairQueue;
  mirrorOf(projectId: string): Mirror;
  mirrorsDir: string;
  log: Log;
}) {
  const { access, gitRuns, mirrorOf, log } = options;
  const arrivals = join(options.mirrorsDir, 'arrivals');

  async function enqueue<T>(
    { brand_id: brandId, project_id: projectId }: Repository,
    milliseconds: number,
    work: (run: { mirror: Mirror; git: RunGit; signal: AbortSignal }) => Promise<T>,
    until?: AbortSignal,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(milliseconds);
    const signal = until ? AbortSignal.any([until, deadline]) : deadline;
    try {
      const mirror = mirrorOf(projectId);
      const git: RunGit = (args, run = {}) => mirror.git(args, { ...run, signal });
      return await gitRuns.run(String(brandId), () => work({ mirror, git, signal }), signal);
    } catch (error) {
      if (error instanceof ApiError || error instanceof PushFailed) throw error;
      if (deadline.aborted) throw repositoryTooSlow(milliseconds / 1000);
      if (!(error instanceof GitError)) throw error;
      log.warn({ projectId, brandId, reason: error.complaint.slice(0, 1000) }, error.message);
      throw repositoryOutOfReach();
    }
  }

  const ask = <T>(project: Repository, work: (git: RunGit, mirror: Mirror) => Promise<T>): Promise<T> =>
    enqueue(project, ASK_MS, ({ git, mirror }) => work(git, mirror));

  const reach = <T>(project: Repository, work: Parameters<typeof access.reach<T>>[1]): Promise<T> =>
    access.reach({ ...project, repository_url: project.repository_url! }, work);

  async function pushWith<T>(
    push: (mirror: Mirror, remote: OpenRemote, wanted: Wanted, signal: AbortSignal) => Promise<T>,
    project: Repository,
    wanted: Wanted,
  ): Promise<T> {
    try {
      return await enqueue(project, BUNDLE_MS, ({ mirror, signal }) =>
        reach(project, (remote) => push(mirror, remote, wanted, signal)).catch((error: unknown) => {
          if (!(error instanceof GitError)) throw error;
          log.warn({ projectId: project.project_id, reason: error.complaint.slice(0, 1000) }, error.message);
          throw new PushFailed(error.message, true);
        }),
      );
    } catch (error) {
      if (error instanceof ApiError) throw new PushFailed(UNREACHABLE, true);
      throw error;
    }
  }

  return {
    async findBranch(project: BranchedRepository, branch: string | null) {
      const wanted = branch ?? project.repository_branch;
      if (wanted !== null && !isBranchName(wanted)) return undefined;
      return enqueue(project, ASK_MS, ({ mirror, signal }) =>
        reach(project, (remote) => mirror.fetchBranch(remote, wanted, signal)),
      );
    },

    hasCommit: (projectId: string, commit: string): Promise<boolean> => mirrorOf(projectId).hasCommit(commit),

    bringCommit: (project: BranchedRepository, commit: string) =>
      enqueue(project, BUNDLE_MS, ({ mirror, signal }) =>
        reach(project, async (remote) => {
          const [found] = await mirror.resolve([commit], remote, signal);
          if (found === commit) return true;
          // A host that serves only branches may have the commit in the history of one.
          await mirror.fetchBranch(remote, project.repository_branch, signal);
          return mirror.hasCommit(commit);
        }),
      ),

    /** Writes the bundle to a file first, so that a slow reader does not occupy the queue. */
    async readBundle(
      project: Repository,
      commit: string,
      until: AbortSignal,
    ): Promise<AsyncIterable<Buffer>> {
      const own = await openRunFolder(arrivals);
      const bundle = join(own.path, 'bundle');
      try {
        await enqueue(
          project,
          BUNDLE_MS,
          ({ mirror, signal }) => writeBundle(mirror, commit, bundle, signal),
          until,
        );
      } catch (error) {
        await own.close();
        throw error;
      }
      return readOnce(bundle, own.close);
    },

    /** Unpacks a bundle outside of the mirror; the caller publishes or discards it. */
    async stage(project: Repository, arrival: Arrival, bytes: AsyncIterable<Buffer>): Promise<StagedCommits> {
      const quarantine = await openQuarantine(arrivals);
      try {
        await quarantine.save(bytes);
        return await enqueue(project, BUNDLE_MS, async ({ mirror, signal }) => {
          await mirror.open();
          return quarantine.judge(mirror, arrival, signal);
        });
      } catch (error) {
        await quarantine.discard();
        throw error;
      }
    },

    async readDiff(project: Repository, base: string, head: string, path?: string): Promise<Buffer> {
      if (path !== undefined && !isRepositoryPath(path)) throw invalidDiffPath();
      return ask(project, (git) => readDiff(git, base, head, path));
    },

    listChangedPaths: (project: Repository, base: string, head: string, most: number) =>
      ask(project, async (git) => {
        const names = await git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, head]);
        return names.toString('utf8').split('\0').filter(Boolean).slice(0, most);
      }),

    readChangedTexts: (project: Repository, base: string, head: string, worth: (path: string) => number) =>
      ask(project, (git, mirror) => readChangedTexts(git, mirror, base, head, worth)),

    readFile: (project: Repository, commit: string, path: string, limitBytes: number) =>
      ask(project, async (git) => {
        const entry = (await git(['ls-tree', '--long', commit, '--', path])).toString();
        if (entry === '') return undefined;
        const [, object, size] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t/.exec(entry) ?? [];
        if (!object || Number(size) > limitBytes) throw checksNoFile(limitBytes);
        return (await git(['cat-file', 'blob', object])).toString('utf8');
      }),

    readMoves: (project: Repository, from: string, to: string, paths: readonly string[]) =>
      ask(project, (git) => readMoves(git, from, to, paths)),

    async readLines(project: Repository, commit: string, path: string, range: LineRange) {
      if (!isRepositoryPath(path)) return undefined;
      return ask(project, (git) => readLines(git, commit, path, range));
    },

    push: (project: Repository, wanted: Wanted): Promise<void> => pushWith(pushBranch, project, wanted),

    pushOnto: (project: Repository, wanted: Wanted) =>
      isBranchName(wanted.branch) ? pushWith(pushOnto, project, wanted) : Promise.resolve(false),

    listConflicts: (project: Repository, one: string, other: string, most: number) =>
      enqueue(project, ASK_MS, ({ mirror, signal }) => listConflicts(mirror, one, other, most, signal)),
  };
}

async function writeBundle(mirror: Mirror, commit: string, path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.write(writeBundleHeader(commit, BASE_REF));
    const pack = ['pack-objects', '--stdout', '--revs', '--delta-base-offset', '--threads=1', '--quiet'];
    await mirror.git(pack, { output: file.fd, stdin: `${commit}\n`, timeoutMs: BUNDLE_MS, signal });
  } finally {
    await file.close();
  }
}

/** A file that is never read is deleted later with its folder. */
async function* readOnce(path: string, remove: () => Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* readPieces(path);
  } finally {
    await remove();
  }
}
