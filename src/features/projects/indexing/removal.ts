import type { CodeNode } from '../../../code/graph/node-table.js';
import type { Mirror } from '../git/mirror.js';
import type { FactSource } from './fact-source.js';

const MOST_LOOKED_AT = 200;

/** The commit between `since` and `until` that removed a node's code, when the step holds several. */
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
