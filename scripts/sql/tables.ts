import { childrenOf, isSqlTemplate, lineAt, nameOf, type SourceFile, type Syntax } from './syntax.js';

export interface Write {
  table: string;
  line: number;
  columns: string[];
}

const BUILDERS = new Map<string, 'read' | 'write'>([
  ['selectFrom', 'read'],
  ['insertInto', 'write'],
  ['updateTable', 'write'],
  ['deleteFrom', 'write'],
  ['mergeInto', 'write'],
]);

/** Excludes `for update`, `for no key update` and `do update`, which do not name a table to write. */
const WRITES =
  /\b(?:insert\s+into|delete\s+from|merge\s+into|(?<!\b(?:for|key|do)\s+)update)\s+(?:only\s+)?([a-z_]+)/gi;

/** Lists the tables that a file writes, and the lines of its SQL. */
export function listWrites(file: SourceFile): { writes: Write[]; sqlAt: number[] } {
  const writes: Write[] = [];
  const sqlAt: number[] = [];
  const visit = (node: Syntax): void => {
    if (isSqlTemplate(node)) {
      const line = lineAt(file, node.start);
      sqlAt.push(line);
      const text = templateText(node);
      for (const { 1: table, index } of text.matchAll(WRITES))
        writes.push({ table: table!, line, columns: listAssigned(text.slice(index)) });
    }
    const built = readBuilderCall(node);
    if (built) {
      const line = lineAt(file, node.start);
      sqlAt.push(line);
      if (built.verb === 'write') writes.push({ table: built.table, line, columns: [] });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(file.program);
  return { writes, sqlAt };
}

function listAssigned(statement: string): string[] {
  const [, assigned = ''] =
    /^update\b[\s\S]*?\bset\b([\s\S]*?)(?:\bwhere\b|\breturning\b|$)/i.exec(statement) ?? [];
  return [...assigned.matchAll(/(?:^|,)\s*([a-z_]+)\s*=/g)].map(([, column]) => column!);
}

const templateText = (node: Syntax): string => {
  const { quasis } = node['quasi'] as unknown as { quasis: Syntax[] };
  return quasis.map((quasi) => (quasi['value'] as { cooked: string }).cooked).join(' $ ');
};

function readBuilderCall(node: Syntax): { verb: 'read' | 'write'; table: string } | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const callee = node['callee'] as Syntax;
  const verb = callee.type === 'MemberExpression' ? BUILDERS.get(nameOf(callee['property'])) : undefined;
  const first = (node['arguments'] as Syntax[])[0];
  if (!verb || first?.type !== 'Literal') return undefined;
  return { verb, table: String(first['value']).split(' ')[0]! };
}
