import { advance } from '../../../code/graph/advance.js';
import { foldersAbove } from '../../../code/graph/match-folders.js';
import { type CodeNode, NodeTable } from '../../../code/graph/node-table.js';
import type { ParserPool } from '../../../code/parsing/parser-pool.js';
import { newId } from '../../../kernel/ids.js';
import type { Mirror } from '../git/mirror.js';
import { compareCommits, listTree } from '../git/tree.js';
import { COMPARISON_BOUNDS, openRoom } from '../indexing/bounds.js';
import { FactSource } from '../indexing/fact-source.js';
import { asFileStep, isOwn } from '../indexing/index-run.js';
import type { Comparison, ComparisonTask } from './code-tasks.js';

/** What a merge would do to the nodes: found out on the side, nothing is stored. */
export async function compareCode(
  { before, head, paths }: ComparisonTask,
  { mirror, parsers }: { mirror: Mirror; parsers: ParserPool },
): Promise<Comparison> {
  const bounds = COMPARISON_BOUNDS;
  const source = new FactSource(mirror, parsers, new Map());
  try {
    const changes = (await compareCommits(mirror, before, head)).filter(
      ({ path, from }) => isOwn(path) || (from && isOwn(from)),
    );
    const tree = [...(await listTree(mirror, before)).files.values()].filter(({ path }) => isOwn(path));
    const involved = new Set(changes.flatMap(({ path, from }) => [path, ...(from ? [from] : [])]));
    const parsed = tree.filter(({ path }) => involved.has(path));
    await source.prepare([...parsed, ...changes.filter(({ blob }) => blob)], async () => {}, { bounds });
    const table = new NodeTable([], newId);
    const room = () => ({ files: new Map<string, never>(), fits: openRoom(table, bounds) });
    // Files that stay as they are need no symbols: whatever is anchored there stays too.
    const staying = tree.filter(({ path }) => !involved.has(path)).map((file) => ({ ...file, symbols: [] }));
    const changing = parsed.map(({ path, blob }) => ({ status: 'added' as const, path, blob }));
    const files = [...staying, ...asFileStep(changing, source, room()).files];
    advance(table, { files, removed: [], renames: new Map(), commit: before, number: 1 });
    return judge(table, paths, () =>
      advance(table, { ...asFileStep(changes, source, room()), commit: head, number: 2 }),
    );
  } finally {
    source.close();
  }
}

function judge(table: NodeTable, paths: readonly string[], merge: () => unknown): Comparison {
  const asked = new Set(paths);
  const before = [...table.nodes.values()].map((node) => ({
    node,
    path: node.path,
    content: contentOf(node),
  }));
  merge();
  const moved: Comparison['moved'] = [];
  const touched = new Set<string>();
  /** A folder is touched by whatever changes, goes or moves inside it. */
  const touchAbove = (path: string) => {
    for (const folder of foldersAbove(path)) if (asked.has(folder)) touched.add(folder);
  };
  for (const { node, path, content } of before) {
    const isMoved = !node.live || node.path !== path;
    const isChanged = node.live && contentOf(node) !== content;
    if (isMoved && asked.has(path)) moved.push([path, node.live ? node.path : null]);
    if (isChanged && asked.has(path)) touched.add(path);
    if (isMoved || isChanged) touchAbove(path);
  }
  // Of what is gone nothing can be changed any more.
  for (const [path, to] of moved) if (to === null && path.endsWith('/')) touched.delete(path);
  return { moved, touched: [...touched] };
}

function contentOf(node: CodeNode): string {
  return `${node.blob ?? ''}${node.body ?? ''}`;
}
