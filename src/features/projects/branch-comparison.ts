import { newId } from '../../kernel/ids.js';
import { isBranchName } from './git/remote-url.js';
import { compareCommits, listTree } from './git/tree.js';
import { advance } from './identity/advance.js';
import { type CodeNode, NodeTable } from './identity/node-table.js';
import { FactSource } from './indexing/fact-source.js';
import { asFileStep, isOwn } from './indexing/index-pass.js';
import type { ProjectIndexer } from './project-indexer.js';
import type { ProjectRow } from './projects.store.js';
import type { RepositoryAccess } from './repository-access.js';

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
  indexer: ProjectIndexer;
  access: RepositoryAccess;
  project: ProjectRow;
  base: string;
  head: string;
}

/** What a merge of `head` into `base` would do to the nodes: found out on the side, nothing is stored. */
export async function compareBranches(
  asked: Comparing,
): Promise<BranchComparison | { unknown: 'base' | 'head' }> {
  const { indexer, access, project } = asked;
  const mirror = indexer.mirrorOf(project.project_id);
  const remote = await access.addressOf(project.brand_id, project.repository_url!, project.repository_branch);
  const resolve = async (name: string) => (isBranchName(name) ? mirror.resolve(name, remote) : undefined);
  const base = await resolve(asked.base);
  if (base === undefined) return { unknown: 'base' };
  const head = await resolve(asked.head);
  if (head === undefined) return { unknown: 'head' };
  const before = (await mirror.mergeBase(base, head)) ?? base;
  const source = new FactSource(mirror, indexer.parsers, new Map());
  try {
    const changes = (await compareCommits(mirror, before, head)).filter(
      ({ path, from }) => isOwn(path) || (from && isOwn(from)),
    );
    const tree = [...(await listTree(mirror, before)).files.values()].filter(({ path }) => isOwn(path));
    const involved = new Set(changes.flatMap(({ path, from }) => [path, ...(from ? [from] : [])]));
    const parsed = tree.filter(({ path }) => involved.has(path));
    await source.prepare([...parsed, ...changes.filter(({ blob }) => blob)], async () => {});
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
