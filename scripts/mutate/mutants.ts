import { parseSync } from 'oxc-parser';
import { listSqlMutants } from './sql-mutants.js';

/** A change to one rule of a file: the text from `start` to `end` is replaced. */
export interface Mutant {
  start: number;
  end: number;
  replacement: string;
  line: number;
  what: string;
}

interface Syntax {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const OTHER_COMPARISON: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
};

/** Type-only wrappers; the expression inside is what runs. */
const TRANSPARENT = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

/** Log calls are not mutated. */
const LOG_CALL = /^(?:await )?(?:\w+\.)*(?:log|logger|console)\.\w+\(/;

export function listMutants(path: string, source: string): Mutant[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]!.message}`);
  const found: Mutant[] = [];
  const textOf = ({ start, end }: Syntax) => source.slice(start, end);
  const add = ({ start, end }: { start: number; end: number }, replacement: string, what: string) => {
    const line = source.slice(0, start).split('\n').length;
    found.push({ start, end, replacement, line, what });
  };
  visit(program as unknown as Syntax, undefined);
  return found.sort((a, b) => a.start - b.start || a.end - b.end);

  function visit(node: Syntax, parent: Syntax | undefined): void {
    if (node.type.startsWith('TS') && !TRANSPARENT.has(node.type)) return;
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return;
    if (node.type === 'ExpressionStatement' && LOG_CALL.test(textOf(node))) return;
    breakRules(node, parent);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isSyntax(child)) visit(child, node);
    }
  }

  function breakRules(node: Syntax, parent: Syntax | undefined): void {
    if (node.type === 'TaggedTemplateExpression' && nameOfTag(node) === 'sql') breakStatementOfSql(node);
    const test = node['test'];
    if (isSyntax(test)) add(test, `!(${textOf(test)})`, 'condition negated');
    if (node.type === 'BinaryExpression') shiftComparison(node, parent);
    if (node.type === 'LogicalExpression') loosen(node);
    if (node.type === 'ReturnStatement' && isSyntax(node['argument'])) add(node, 'return;', 'return emptied');
    if (node.type === 'ArrowFunctionExpression' && node['expression'] === true) {
      add(outside(node['body'] as Syntax), 'undefined', 'return emptied');
    }
    if (node.type === 'ExpressionStatement' && !node['directive']) breakStatement(node);
    if (node.type === 'ThrowStatement') add(node, ';', 'statement removed');
    if (node.type === 'Literal' && typeof node['value'] === 'number' && !isIndex(node, parent)) {
      add(node, `(${textOf(node)} + 1)`, 'number off by one');
    }
  }

  function shiftComparison(node: Syntax, parent: Syntax | undefined): void {
    const operator = node['operator'] as string;
    const other = OTHER_COMPARISON[operator];
    // Negating the condition is a mutant already, so an inverted equality would repeat it.
    if (!other || (operator.includes('=') && !/[<>]/.test(operator) && parent?.['test'] === node)) return;
    const [left, right] = [node['left'] as Syntax, node['right'] as Syntax];
    const at = source.indexOf(operator, left.end);
    if (at < 0 || at >= right.start) return;
    add({ start: at, end: at + operator.length }, other, `${operator} for ${other}`);
  }

  function loosen(node: Syntax): void {
    const [left, right] = [node['left'] as Syntax, node['right'] as Syntax];
    const operator = node['operator'] as string;
    if (operator === '??') add(node, textOf(left), '?? dropped');
    else
      add(
        node,
        `(${textOf(left)}) ${operator === '&&' ? '||' : '&&'} (${textOf(right)})`,
        `${operator} turned`,
      );
  }

  function breakStatement(node: Syntax): void {
    const expression = node['expression'] as Syntax;
    add(node, ';', 'statement removed');
    if (expression.type === 'AwaitExpression') {
      // The rejection must be handled, because an unhandled one ends the process.
      const awaited = textOf(expression['argument'] as Syntax);
      add(node, `Promise.resolve(${awaited}).catch(() => {});`, 'await dropped');
    }
  }

  function breakStatementOfSql({ quasi }: Syntax): void {
    const { start, end, expressions } = quasi as Syntax & { expressions: Syntax[] };
    const offset = start + 1;
    // From `${` to `}`, including spaces.
    const holes = expressions.map((hole) => ({
      start: source.lastIndexOf('${', hole.start) - offset,
      end: source.indexOf('}', hole.end) + 1 - offset,
    }));
    for (const mutant of listSqlMutants(source.slice(offset, end - 1), holes)) {
      add({ start: mutant.start + offset, end: mutant.end + offset }, mutant.replacement, mutant.what);
    }
  }

  /** The parentheses around an object that an arrow function returns belong to it. */
  function outside(body: Syntax): { start: number; end: number } {
    const opening = source.slice(0, body.start).trimEnd();
    const gap = /^\s*\)/.exec(source.slice(body.end));
    const wrapped = body.type === 'ObjectExpression' && opening.endsWith('(') && gap;
    return wrapped ? { start: opening.length - 1, end: body.end + gap[0].length } : body;
  }
}

const nameOfTag = ({ tag }: Syntax): unknown => (tag as Syntax | undefined)?.['name'];

/** An index such as `parts[0]` is not mutated, because it selects data and states no rule. */
const isIndex = (node: Syntax, parent: Syntax | undefined) =>
  parent?.type === 'MemberExpression' && parent['property'] === node;

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Syntax).type === 'string' &&
  'start' in value;

export const applyMutant = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end);

/** Reorders a list to every seventh item first, so that an interrupted run still covers all parts. */
export function spread<T>(list: readonly T[], stride = 7): T[] {
  return Array.from({ length: stride }, (_, first) =>
    list.filter((_, index) => index % stride === first),
  ).flat();
}
