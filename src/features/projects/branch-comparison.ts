import { newId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { GitError } from './git/git-program.js';
import type { Mirror } from './git/mirror.js';
import { isBranchName } from './git/remote-url.js';
import { compareCommits, listTree } from './git/tree.js';
import { advance } from './identity/advance.js';
import { type CodeNode, NodeTable } from './identity/node-table.js';
import { FactSource } from './indexing/fact-source.js';
import { asFileStep, isOwn } from './indexing/index-pass.js';
import type { ParserPool } from './parsing/parser-pool.js';
import { repositoryOutOfReach, repositoryTooSlow } from './projects.errors.js';
import type { ProjectRow } from './projects.store.js';
import type { RepositoryAccess } from './repository-access.js';
import type { Turns } from './turns.js';

export interface BranchComparison {
  base: string;
  head: string;
  /** Path before → path after; null: the code would be gone. Only what is not where it was. */
  moved: Map<string, string | null>;
  /** Paths, as they are before, whose content would change. */
  touched: Set<string>;
  /** Every path there is before. */
  known: Set<string>;
}

interface Comparing {
  mirror: Mirror;
  parsers: ParserPool;
  access: RepositoryAccess;
  project: ProjectRow;
  base: string;
  head: string;
  signal: AbortSignal;
}

const DEADLINE_MS = 30_000;

/** Compares while somebody waits for it: in the turn of the workspace, within a deadline, and with a public answer to every failure. */
export function createBranchComparison(options: {
  access: RepositoryAccess;
  parsers: ParserPool;
  gitRuns: Turns;
  mirrorOf(projectId: string): Mirror;
  log: Log;
  comparisonMs?: number;
}) {
  const { access, parsers, gitRuns, mirrorOf, log, comparisonMs = DEADLINE_MS } = options;
  return async (project: ProjectRow, base: string, head: string) => {
    const { project_id: projectId, brand_id: brandId } = project;
    const mirror = mirrorOf(projectId);
    const signal = AbortSignal.timeout(comparisonMs);
    try {
      const comparing = gitRuns.take(brandId, signal, () =>
        compareBranches({ mirror, parsers, access, project, base, head, signal }),
      );
      return await Promise.race([comparing, rejectAtEnd(signal)]);
    } catch (error) {
      if (signal.aborted) throw repositoryTooSlow();
      if (!(error instanceof GitError)) throw error;
      log.warn({ projectId, brandId, reason: error.complaint.slice(0, 1000) }, error.message);
      throw repositoryOutOfReach();
    }
  };
}

const rejectAtEnd = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

/** What a merge of `head` into `base` would do to the nodes: found out on the side, nothing is stored. */
async function compareBranches(asked: Comparing): Promise<BranchComparison | { unknown: 'base' | 'head' }> {
  const { mirror, parsers, access, project, signal } = asked;
  if (!isBranchName(asked.base)) return { unknown: 'base' };
  if (!isBranchName(asked.head)) return { unknown: 'head' };
  const isHere = (await mirror.hasCommit(asked.base)) && (await mirror.hasCommit(asked.head));
  const [base, head] = isHere
    ? [asked.base, asked.head]
    : await access.reach(project.brand_id, project.repository_url!, (remote) =>
        mirror.resolve([asked.base, asked.head], remote, signal),
      );
  if (base === undefined) return { unknown: 'base' };
  if (head === undefined) return { unknown: 'head' };
  const before = (await mirror.mergeBase(base, head)) ?? base;
  const source = new FactSource(mirror, parsers, new Map());
  try {
    const changes = (await compareCommits(mirror, before, head)).filter(
      ({ path, from }) => isOwn(path) || (from && isOwn(from)),
    );
    const tree = [...(await listTree(mirror, before)).files.values()].filter(({ path }) => isOwn(path));
    const involved = new Set(changes.flatMap(({ path, from }) => [path, ...(from ? [from] : [])]));
    const parsed = tree.filter(({ path }) => involved.has(path));
    await source.prepare([...parsed, ...changes.filter(({ blob }) => blob)], async () => {}, signal);
    const table = new NodeTable([], newId);
    const files = tree.map(({ path, blob }) => ({
      path,
      blob,
      symbols: source.get(path, blob)?.symbols ?? [],
    }));
    advance(table, { files, removed: [], renames: new Map(), commit: before, number: 1 });
    return {
      base,
      head,
      ...judge(table, () => advance(table, { ...asFileStep(changes, source), commit: head, number: 2 })),
    };
  } finally {
    source.close();
  }
}

function judge(
  table: NodeTable,
  merge: () => unknown,
): Pick<BranchComparison, 'moved' | 'touched' | 'known'> {
  const before = [...table.nodes.values()].map((node) => ({
    node,
    path: node.path,
    content: contentOf(node),
  }));
  merge();
  const moved = new Map<string, string | null>();
  const touched = new Set<string>();
  for (const { node, path, content } of before) {
    if (!node.live) moved.set(path, null);
    else if (node.path !== path) moved.set(path, node.path);
    if (node.live && contentOf(node) !== content) touched.add(path);
  }
  return { moved, touched, known: new Set(before.map(({ path }) => path)) };
}

function contentOf(node: CodeNode): string {
  return `${node.blob ?? ''}${node.body ?? ''}`;
}
