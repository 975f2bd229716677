import { type Fragment, readFragment, type Scope, scopeOfFile, scopeOfFunction } from './fragments.js';
import { childrenOf, isSqlTemplate, lineAt, nameOf, readSource, type Syntax } from './syntax.js';

/** A statement in the source, such as `sql<Row>`…`.execute(db)`. */
export interface Statement {
  path: string;
  line: number;
  /** The possible texts: one, or two if a part depends on a condition. */
  texts: string[];
  /** The position of the declared row type, if there is one. */
  rowType?: { start: number; end: number };
  /** Why the text could not be derived from the source. */
  fault?: string;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

export async function listStatements(path: string): Promise<Statement[]> {
  const file = readSource(path);
  const found: { node: Syntax; scope: Scope }[] = [];
  const visit = (node: Syntax, scope: Scope): void => {
    const executed = findExecuted(node);
    if (executed) found.push({ node: executed, scope });
    const inner = FUNCTIONS.has(node.type) ? scopeOfFunction(scope, node) : scope;
    for (const child of childrenOf(node)) visit(child, inner);
  };
  visit(file.program, scopeOfFile(file));

  const statements: Statement[] = [];
  for (const { node, scope } of found) {
    const types = (node['typeArguments'] as Syntax | null | undefined)?.['params'] as Syntax[] | undefined;
    const rowType = types?.[0] && { start: types[0].start, end: types[0].end };
    const place = { path, line: lineAt(file, node.start), rowType };
    try {
      statements.push({ ...place, texts: await spellOut(node, scope) });
    } catch (error) {
      statements.push({ ...place, texts: [], fault: (error as Error).message });
    }
  }
  return statements;
}

/** Matches `sql`…`.execute(…)`, which is a call on a member of the template. */
function findExecuted(node: Syntax): Syntax | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const callee = node['callee'] as Syntax;
  if (callee.type !== 'MemberExpression' || nameOf(callee['property']) !== 'execute') return undefined;
  const target = callee['object'] as Syntax;
  return isSqlTemplate(target) ? target : undefined;
}

async function spellOut(node: Syntax, scope: Scope): Promise<string[]> {
  const texts = [];
  for (const branch of ['consequent', 'alternate'] as const) {
    texts.push(numberParameters(await readFragment(node, scope, branch)));
  }
  return [...new Set(texts)];
}

function numberParameters(fragment: Fragment): string {
  let count = 0;
  return fragment.map((part) => (part.kind === 'text' ? part.text : `$${++count}`)).join('');
}
