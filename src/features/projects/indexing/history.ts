import type { CodeNode } from '../../../code/graph/node-table.js';
import type { Mirror } from '../git/mirror.js';
import { compareCommits, compareHistories, type FileChange, listHistory } from '../git/tree.js';
import type { FactSource } from './fact-source.js';

export interface HistoryStep {
  commit: string;
  changes: FileChange[];
  /** The commit before a step that spans several commits. */
  since: string | null;
}

export interface History {
  steps: HistoryStep[];
  isWhole: boolean;
}

const MOST_STEPS = 300;

/**
 * Each first-parent commit is a separate step, so that the result does not depend on how often a project is
 * indexed. Undefined if the old commit is gone.
 */
export async function planSteps(
  mirror: Mirror,
  from: string | null,
  to: string,
): Promise<History | undefined> {
  if (from === to) return { steps: [], isWhole: true };
  const way = from === null ? undefined : await compareHistories(mirror, from, to);
  if (from === null || !way) return undefined;
  if (way.isAncestor && way.steps <= MOST_STEPS) {
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
  const since = way.isAncestor ? from : ((await mirror.mergeBase(from, to)) ?? null);
  return { steps: [{ commit: to, changes: await compareCommits(mirror, from, to), since }], isWhole: false };
}

/** Compares by path and content, for when the old commit is gone. */
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

const MOST_LOOKED_AT = 200;

export async function findRemovingCommit(
  mirror: Mirror,
  facts: FactSource,
  node: CodeNode,
  since: string,
  until: string,
): Promise<string> {
  const isSymbol = node.kind === 'symbol';
  const path = isSymbol ? node.path.slice(0, -node.symbol!.length - 1) : node.path.replace(/\/$/, '');
  const range = [`${since}..${until}`, '--', path];
  const deletion =
    node.path === '/' ? [] : await listCommits(mirror, ['-1', '--diff-filter=D', '--no-renames', ...range]);
  if (!isSymbol) return deletion[0] ?? until;
  const touching = await listCommits(mirror, [`-${MOST_LOOKED_AT}`, ...range]);
  let removing = deletion[0] ?? touching[0] ?? until;
  for (const commit of touching) {
    const there = await facts.at(commit, path);
    if (there?.symbols.some((symbol) => symbol.name === node.symbol)) return removing;
    removing = commit;
  }
  return removing;
}

async function listCommits(mirror: Mirror, args: string[]): Promise<string[]> {
  return (await mirror.git(['log', '--format=%H', ...args])).toString('utf8').split('\n').filter(Boolean);
}
