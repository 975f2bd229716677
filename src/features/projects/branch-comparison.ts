import { FairQueue } from '../../kernel/fair-queue.js';
import type { Log } from '../../kernel/log.js';
import { GitError } from './git/git-program.js';
import type { Mirror } from './git/mirror.js';
import { isBranchName } from './git/remote-url.js';
import { repositoryOutOfReach, repositoryTooSlow } from './projects.errors.js';
import type { ProjectRow } from './repository/projects.store.js';
import type { RepositoryAccess } from './repository/repository-access.js';
import type { CodeThreads } from './threads/code-threads.js';
import { type Comparison, ThreadDied } from './threads/code-threads.js';

export interface BranchComparison extends Comparison {
  base: string;
  head: string;
}

interface Asked {
  project: ProjectRow;
  base: string;
  head: string;
  paths: string[];
}

const DEADLINE_MS = 30_000;
/** Each comparison uses a thread and memory. */
const COMPARISONS = { places: 2, mostPerKey: 1 };

/** Compares branches for a waiting caller within a deadline, and turns every failure into a public error. */
export function createBranchComparison(options: {
  access: RepositoryAccess;
  threads: CodeThreads;
  gitRuns: FairQueue;
  mirrorOf(projectId: string): Mirror;
  log: Log;
  comparisonMs?: number;
}) {
  const { access, threads, gitRuns, mirrorOf, log, comparisonMs = DEADLINE_MS } = options;
  const queue = new FairQueue(COMPARISONS);

  return async (asked: Asked): Promise<BranchComparison | { unknown: 'base' | 'head' }> => {
    const { project_id: projectId, brand_id: brandId } = asked.project;
    const mirror = mirrorOf(projectId);
    const signal = AbortSignal.timeout(comparisonMs);
    const compare = async () => {
      const found = await gitRuns.run(
        String(brandId),
        () => findCommits(asked, mirror, access, signal),
        signal,
      );
      if ('unknown' in found) return found;
      const { base, head, before } = found;
      const task = { kind: 'compare' as const, projectId, before, head, paths: asked.paths };
      const comparison = await queue.run(String(brandId), () => threads.run(task, { signal }), signal);
      return { base, head, ...comparison };
    };
    try {
      return await Promise.race([compare(), rejectAtEnd(signal)]);
    } catch (error) {
      if (signal.aborted) throw repositoryTooSlow();
      if (error instanceof ThreadDied) {
        log.error({ err: error, projectId, brandId }, 'A comparison of commits ended early');
        throw repositoryTooSlow();
      }
      if (!(error instanceof GitError)) throw error;
      log.warn({ projectId, brandId, reason: error.complaint.slice(0, 1000) }, error.message);
      throw repositoryOutOfReach();
    }
  };
}

const rejectAtEnd = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

async function findCommits(
  asked: Asked,
  mirror: Mirror,
  access: RepositoryAccess,
  signal: AbortSignal,
): Promise<{ unknown: 'base' | 'head' } | { base: string; head: string; before: string }> {
  const { project } = asked;
  if (!isBranchName(asked.base)) return { unknown: 'base' };
  if (!isBranchName(asked.head)) return { unknown: 'head' };
  const isHere = (await mirror.hasCommit(asked.base)) && (await mirror.hasCommit(asked.head));
  const [base, head] = isHere
    ? [asked.base, asked.head]
    : await access.reach({ ...project, repository_url: project.repository_url! }, (remote) =>
        mirror.resolve([asked.base, asked.head], remote, signal),
      );
  if (base === undefined) return { unknown: 'base' };
  if (head === undefined) return { unknown: 'head' };
  return { base, head, before: (await mirror.mergeBase(base, head)) ?? base };
}
