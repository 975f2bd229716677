import type { Mirror } from '../git/mirror.js';
import { compareCommits, type FileChange, findWay, listHistory } from '../git/tree.js';

/** One move of the history that nodes are taken through. */
export interface HistoryStep {
  commit: string;
  changes: FileChange[];
  /** Set when several commits lie in the step: the one before them. */
  since: string | null;
}

/** The steps from one commit to another. */
export interface History {
  steps: HistoryStep[];
  /** Whether their changes are all that lies between the two trees. */
  isWhole: boolean;
}

const MOST_STEPS = 300;

/**
 * The way from the indexed commit to the new one, undefined when the old one is gone. Each commit of the first-parent line is a
 * step of its own, so that the result does not depend on how often a project is looked at.
 */
export async function planSteps(
  mirror: Mirror,
  from: string | null,
  to: string,
): Promise<History | undefined> {
  if (from === to) return { steps: [], isWhole: true };
  const way = from === null ? undefined : await findWay(mirror, from, to);
  if (from === null || !way) return undefined;
  if (way.leadsOn && way.steps <= MOST_STEPS) {
    const commits = await listHistory(mirror, from, to);
    const isWhole = commits[0]?.parents[0] === from && commits.every((commit) => commit.isWhole);
    let before = from;
    const steps = commits.map(({ commit, parents, changes }) => {
      const step = { commit, changes, since: parents.length > 1 ? before : null };
      before = commit;
      return step;
    });
    return { steps, isWhole };
  }
  const since = way.leadsOn ? from : ((await mirror.mergeBase(from, to)) ?? null);
  return { steps: [{ commit: to, changes: await compareCommits(mirror, from, to), since }], isWhole: false };
}

/** By path and content alone: what remains when the old commit is gone. */
export function compareTrees(
  known: Iterable<{ path: string; blob: string | null }>,
  tree: ReadonlyMap<string, { blob: string }>,
): FileChange[] {
  const changes: FileChange[] = [];
  const seen = new Set<string>();
  for (const { path, blob } of known) {
    seen.add(path);
    const file = tree.get(path);
    if (!file) changes.push({ status: 'removed', path, blob: '' });
    else if (file.blob !== blob) changes.push({ status: 'changed', path, blob: file.blob });
  }
  for (const [path, { blob }] of tree) if (!seen.has(path)) changes.push({ status: 'added', path, blob });
  return changes;
}
