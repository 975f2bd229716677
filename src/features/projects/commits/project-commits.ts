import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../kernel/errors.js';
import type { FairQueue } from '../../../kernel/fair-queue.js';
import type { Log } from '../../../kernel/log.js';
import { GitError } from '../git/git-program.js';
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
import { writeBundleHeader } from './bundle-header.js';
import { type ChangedTexts, readChangedTexts } from './changed-texts.js';
import { isRepositoryPath, readDiff } from './commit-diff.js';
import { listConflicts } from './conflicts.js';
import { type FileLines, type LineRange, readLines } from './file-lines.js';
import { type FileMove, readMoves } from './line-moves.js';
import { type Arrival, openQuarantine, readPieces, type StagedCommits } from './quarantine.js';

export type { ChangedTexts } from './changed-texts.js';
export type { FileLines, LineRange } from './file-lines.js';
export type { FileMove, LineShift } from './line-moves.js';
export type { StagedCommits } from './quarantine.js';

/** What a bundle of a base calls the commit that it holds. */
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

/**
 * Commits of a project beside those that its repository has: what a coder starts from, what it brings back, and the way of
 * that into the repository. Every run waits for the turn of its workspace and has a deadline.
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

  async function inTurn<T>(
    { brand_id: brandId, project_id: projectId }: Repository,
    milliseconds: number,
    work: (mirror: Mirror, signal: AbortSignal, git: Mirror['git']) => Promise<T>,
    until?: AbortSignal,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(milliseconds);
    const signal = until ? AbortSignal.any([until, deadline]) : deadline;
    try {
      const mirror = mirrorOf(projectId);
      const git: Mirror['git'] = (args, run = {}) => mirror.git(args, { ...run, signal });
      return await gitRuns.run(String(brandId), () => work(mirror, signal, git), signal);
    } catch (error) {
      if (error instanceof ApiError || error instanceof PushFailed) throw error;
      if (deadline.aborted) throw repositoryTooSlow(milliseconds / 1000);
      if (!(error instanceof GitError)) throw error;
      log.warn({ projectId, brandId, reason: error.complaint.slice(0, 1000) }, error.message);
      throw repositoryOutOfReach();
    }
  }

  const reach = <T>(project: Repository, work: Parameters<typeof access.reach<T>>[1]): Promise<T> =>
    access.reach({ ...project, repository_url: project.repository_url! }, work);

  async function pushWith<T>(
    push: (mirror: Mirror, remote: OpenRemote, wanted: Wanted, signal: AbortSignal) => Promise<T>,
    project: Repository,
    wanted: Wanted,
  ): Promise<T> {
    try {
      return await inTurn(project, BUNDLE_MS, (mirror, signal) =>
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
    /** A branch of the repository as it is now; null: the project's own. Undefined: there is none. */
    async findBranch(
      project: Repository & Pick<ProjectRow, 'repository_branch'>,
      branch: string | null,
    ): Promise<{ branch: string; commit: string } | undefined> {
      const wanted = branch ?? project.repository_branch;
      if (wanted !== null && !isBranchName(wanted)) return undefined;
      return inTurn(project, ASK_MS, (mirror, signal) =>
        reach(project, (remote) => mirror.fetchBranch(remote, wanted, signal)),
      );
    },

    hasCommit: (projectId: string, commit: string): Promise<boolean> => mirrorOf(projectId).hasCommit(commit),

    /** Brings a commit of the repository here; false: the repository has none such. */
    bringCommit: (
      project: Repository & Pick<ProjectRow, 'repository_branch'>,
      commit: string,
    ): Promise<boolean> =>
      inTurn(project, BUNDLE_MS, (mirror, signal) =>
        reach(project, async (remote) => {
          const [found] = await mirror.resolve([commit], remote, signal);
          if (found === commit) return true;
          // A host that gives out branches only may have it in the history of one.
          await mirror.fetchBranch(remote, project.repository_branch, signal);
          return mirror.hasCommit(commit);
        }),
      ),

    /** A bundle of a commit that is here, with all its history. It is made first, so that a slow line keeps no turn. */
    async readBundle(
      project: Repository,
      commit: string,
      until: AbortSignal,
    ): Promise<AsyncIterable<Buffer>> {
      const room = await openRunFolder(arrivals);
      const bundle = join(room.path, 'bundle');
      try {
        await inTurn(
          project,
          BUNDLE_MS,
          (mirror, signal) => writeBundle(mirror, commit, bundle, signal),
          until,
        );
      } catch (error) {
        await room.close();
        throw error;
      }
      return readOnce(bundle, room.close);
    },

    /** Takes in a bundle and judges it apart from the repository; whoever asked publishes or discards it. */
    async stage(project: Repository, arrival: Arrival, bytes: AsyncIterable<Buffer>): Promise<StagedCommits> {
      const quarantine = await openQuarantine(arrivals);
      try {
        await quarantine.save(bytes);
        return await inTurn(project, BUNDLE_MS, async (mirror, signal) => {
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
      return inTurn(project, ASK_MS, (_mirror, _signal, git) => readDiff(git, base, head, path));
    },

    /** The paths that differ between two commits, so many at most. */
    listChangedPaths: (project: Repository, base: string, head: string, most: number): Promise<string[]> =>
      inTurn(project, ASK_MS, async (_mirror, _signal, git) => {
        const names = await git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, head]);
        return names.toString('utf8').split('\0').filter(Boolean).slice(0, most);
      }),

    /** The files that differ between two commits with their texts, what is worth most first, within bounds. */
    readChangedTexts: (
      project: Repository,
      base: string,
      head: string,
      worth: (path: string) => number,
    ): Promise<ChangedTexts> =>
      inTurn(project, ASK_MS, (mirror, _signal, git) => readChangedTexts(git, mirror, base, head, worth)),

    /** A small file as it is in a commit that is here; undefined where there is none. */
    readFile: (
      project: Repository,
      commit: string,
      path: string,
      limitBytes: number,
    ): Promise<string | undefined> =>
      inTurn(project, ASK_MS, async (_mirror, _signal, git) => {
        const entry = (await git(['ls-tree', '--long', commit, '--', path])).toString();
        if (entry === '') return undefined;
        const [, object, size] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t/.exec(entry) ?? [];
        if (!object || Number(size) > limitBytes) throw checksNoFile(limitBytes);
        return (await git(['cat-file', 'blob', object])).toString('utf8');
      }),

    /** What became of these files between two commits, of those that something became of. */
    readMoves: (
      project: Repository,
      from: string,
      to: string,
      paths: readonly string[],
    ): Promise<Map<string, FileMove>> =>
      inTurn(project, ASK_MS, (_mirror, _signal, git) => readMoves(git, from, to, paths)),

    /** Lines of a file in a commit, by their numbers; undefined when it has no such file. */
    async readLines(
      project: Repository,
      commit: string,
      path: string,
      range: LineRange,
    ): Promise<FileLines | undefined> {
      if (!isRepositoryPath(path)) return undefined;
      return inTurn(project, ASK_MS, (_mirror, _signal, git) => readLines(git, commit, path, range));
    },

    /** A new branch in the project's repository. Every failure has words for everybody. */
    push: (project: Repository, wanted: Wanted): Promise<void> => pushWith(pushBranch, project, wanted),

    /** A branch of the repository goes on to a commit; false where the commit does not go on from it. */
    pushOnto: (project: Repository, wanted: Wanted): Promise<boolean> =>
      isBranchName(wanted.branch) ? pushWith(pushOnto, project, wanted) : Promise.resolve(false),

    /** The files in which two commits cannot be brought together, so many at most; both are here. */
    listConflicts: (project: Repository, one: string, other: string, most: number): Promise<string[]> =>
      inTurn(project, ASK_MS, (mirror, signal) => listConflicts(mirror, one, other, most, signal)),
  };
}

async function writeBundle(mirror: Mirror, commit: string, path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.write(writeBundleHeader(commit, BASE_REF));
    const pack = ['pack-objects', '--stdout', '--revs', '--delta-base-offset', '--threads=1', '--quiet'];
    await mirror.git(pack, { output: file.fd, say: `${commit}\n`, timeoutMs: BUNDLE_MS, signal });
  } finally {
    await file.close();
  }
}

/** Opened when somebody reads: what nobody does is swept away with what was left behind. */
async function* readOnce(path: string, remove: () => Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* readPieces(path);
  } finally {
    await remove();
  }
}
