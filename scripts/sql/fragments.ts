import { pathToFileURL } from 'node:url';
import {
  childrenOf,
  isSqlTemplate,
  listDeclared,
  nameOf,
  readSource,
  type SourceFile,
  type Syntax,
} from './syntax.js';

/** Parts of a statement: literal SQL and bound values. */
export type Fragment = ({ kind: 'text'; text: string } | { kind: 'value' })[];

/** Which branch of a conditional to take; the two together cover both versions of a statement. */
export type Branch = 'consequent' | 'alternate';

/** The names that are visible at a place in the source. */
export interface Scope {
  file: SourceFile;
  outer?: Scope;
  names: Map<string, Bound>;
}

interface Bound {
  node: Syntax;
  scope: Scope;
}

const VALUE: Fragment = [{ kind: 'value' }];
const words = (text: string): Fragment => [{ kind: 'text', text }];

export const scopeOfFile = (file: SourceFile): Scope => ({ file, names: new Map() });

export function scopeOfFunction(outer: Scope, node: Syntax): Scope {
  const scope: Scope = { file: outer.file, outer, names: new Map() };
  for (const statement of bodyOf(node)) declare(scope, statement);
  return scope;
}

function declare(scope: Scope, statement: Syntax): void {
  for (const [name, node] of listDeclared(statement)) scope.names.set(name, { node, scope });
}

const bodyOf = (node: Syntax): Syntax[] => {
  const body = node['body'] as Syntax;
  return body.type === 'BlockStatement' ? (body['body'] as Syntax[]) : [];
};

function find(name: string, scope: Scope): Bound | undefined {
  for (let each: Scope | undefined = scope; each; each = each.outer) {
    const bound = each.names.get(name);
    if (bound) return bound;
  }
  const declared = scope.file.declarations.get(name);
  if (declared) return { node: declared, scope: scopeOfFile(scope.file) };
  const imported = scope.file.imports.get(name);
  if (!imported) return undefined;
  const file = readSource(imported.path);
  const node = file.declarations.get(imported.name);
  return node && { node, scope: scopeOfFile(file) };
}

/** Returns what an expression adds to the statement: SQL if the source gives it, otherwise a bound value. */
export async function readFragment(node: Syntax, scope: Scope, branch: Branch): Promise<Fragment> {
  if (isSqlTemplate(node)) return readTemplate(node, scope, branch);
  switch (node.type) {
    case 'Identifier':
      return readName(node, scope, branch);
    case 'ConditionalExpression':
      return readFragment(node[branch] as Syntax, scope, branch);
    case 'CallExpression':
      return readCall(node, scope, branch);
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return readFragment(node['expression'] as Syntax, scope, branch);
    default:
      return VALUE;
  }
}

async function readTemplate(node: Syntax, scope: Scope, branch: Branch): Promise<Fragment> {
  const { quasis, expressions } = node['quasi'] as unknown as { quasis: Syntax[]; expressions: Syntax[] };
  const parts: Fragment = [];
  for (const [index, quasi] of quasis.entries()) {
    parts.push(...words((quasi['value'] as { cooked: string }).cooked));
    const expression = expressions[index];
    if (expression) parts.push(...(await readFragment(expression, scope, branch)));
  }
  return parts;
}

async function readName(node: Syntax, scope: Scope, branch: Branch): Promise<Fragment> {
  const bound = find(nameOf(node), scope);
  if (!bound || isFunction(bound.node)) return VALUE;
  return readFragment(bound.node, bound.scope, branch);
}

async function readCall(node: Syntax, scope: Scope, branch: Branch): Promise<Fragment> {
  const callee = node['callee'] as Syntax;
  const args = node['arguments'] as Syntax[];
  if (callee.type === 'MemberExpression' && nameOf(callee['object']) === 'sql') {
    return readBuilder(nameOf(callee['property']), args, scope, branch);
  }
  const called = callee.type === 'Identifier' ? find(nameOf(callee), scope) : undefined;
  return called && isFunction(called.node) ? readReturned(called, args, scope, branch) : VALUE;
}

/** Reads `sql.raw`, `sql.join` and similar calls. */
async function readBuilder(verb: string, args: Syntax[], scope: Scope, branch: Branch): Promise<Fragment> {
  const [first, second] = args as [Syntax, Syntax?];
  switch (verb) {
    case 'raw':
      return words(await deriveText(first, scope));
    case 'ref':
    case 'table':
    case 'id': {
      const text = readText(first, scope);
      if (text === undefined) throw new Error(`sql.${verb} takes a name that the source does not spell out`);
      return words(text.replace(/[^.]+/g, '"$&"'));
    }
    case 'join': {
      const item = await readItem(first, scope, branch);
      const between = second ? await readFragment(second, scope, branch) : words(', ');
      // Repeats the item to check the separator, unless it names a column, which must be unique.
      return item.some((part) => part.kind === 'text' && / as\s*$| as "?\w+"?\s*$/.test(part.text))
        ? item
        : [...item, ...between, ...item];
    }
    default:
      return VALUE;
  }
}

/** Reads the item of a list of fragments such as `rows.map((row) => sql`…`)`. */
async function readItem(node: Syntax, scope: Scope, branch: Branch): Promise<Fragment> {
  const callee = node['callee'] as Syntax | undefined;
  const make = (node['arguments'] as Syntax[] | undefined)?.[0];
  if (callee?.type === 'MemberExpression' && nameOf(callee['property']) === 'map' && make) {
    if (isFunction(make)) return readReturned({ node: make, scope }, [], scope, branch);
  }
  return VALUE;
}

async function readReturned(called: Bound, args: Syntax[], caller: Scope, branch: Branch): Promise<Fragment> {
  const scope: Scope = { file: called.scope.file, outer: called.scope, names: new Map() };
  for (const [index, param] of (called.node['params'] as Syntax[]).entries()) {
    const value = args[index];
    const named = param.type === 'AssignmentPattern' ? (param['left'] as Syntax) : param;
    if (named.type === 'ObjectPattern' && value?.type === 'ObjectExpression')
      for (const [name, part] of partsOf(value)) scope.names.set(name, { node: part, scope: caller });
    if (named.type !== 'Identifier') continue;
    if (value) scope.names.set(nameOf(named), { node: value, scope: caller });
    else if (named !== param) scope.names.set(nameOf(named), { node: param['right'] as Syntax, scope });
  }
  for (const statement of bodyOf(called.node)) declare(scope, statement);
  const returned = findReturned(called.node);
  return returned ? readFragment(returned, scope, branch) : VALUE;
}

/** The properties of an object argument by name, for a function that destructures it. */
const partsOf = (object: Syntax): [string, Syntax][] =>
  (object['properties'] as Syntax[])
    .filter(({ type }) => type === 'Property')
    .map((property) => [nameOf(property['key']), property['value'] as Syntax]);

function findReturned(node: Syntax): Syntax | undefined {
  const body = node['body'] as Syntax;
  if (body.type !== 'BlockStatement') return body;
  const last = (body['body'] as Syntax[]).findLast(({ type }) => type === 'ReturnStatement');
  return (last?.['argument'] as Syntax | null | undefined) ?? undefined;
}

const isFunction = (node: Syntax): boolean =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);

/** Reads a text from the source; a variable part is replaced with a digit. */
function readText(node: Syntax, scope: Scope): string | undefined {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'Identifier') {
    const bound = find(nameOf(node), scope);
    return bound && readText(bound.node, bound.scope);
  }
  if (node.type !== 'TemplateLiteral') return undefined;
  const { quasis, expressions } = node as unknown as { quasis: Syntax[]; expressions: Syntax[] };
  const parts = quasis.map((quasi, index) => {
    const expression = expressions[index];
    const cooked = (quasi['value'] as { cooked: string }).cooked;
    return expression ? cooked + (readText(expression, scope) ?? '0') : cooked;
  });
  return parts.join('');
}

/** Evaluates an expression that derives a text, such as a list of columns, with the values of its names. */
async function deriveText(node: Syntax, scope: Scope): Promise<string> {
  const value = await evaluate(node, scope);
  if (typeof value !== 'string')
    throw new Error('sql.raw takes something that is no text before the program runs');
  return value;
}

async function evaluate(node: Syntax, scope: Scope): Promise<unknown> {
  const names = [...freeNames(node)].filter((name) => knows(name, scope));
  const values = await Promise.all(names.map((name) => valueNamed(name, scope)));
  const source = scope.file.source.slice(node.start, node.end);
  return new Function(...names, `return (${source});`)(...values);
}

const knows = (name: string, scope: Scope): boolean => find(name, scope) !== undefined;

async function valueNamed(name: string, scope: Scope): Promise<unknown> {
  const imported = scope.file.imports.get(name);
  if (imported) return (await importSource(imported.path))[imported.name];
  const bound = find(name, scope)!;
  // An exported value may be computed by TypeScript code, which only importing the module can run.
  const exported = (await importSource(bound.scope.file.path))[name];
  return exported ?? evaluate(bound.node, bound.scope);
}

const importSource = (path: string): Promise<Record<string, unknown>> => import(pathToFileURL(path).href);

function freeNames(node: Syntax, names = new Set<string>()): Set<string> {
  if (node.type === 'Identifier') names.add(nameOf(node));
  for (const child of childrenOf(node)) {
    const isMember = node.type === 'MemberExpression' && child === node['property'] && !node['computed'];
    if (!isMember) freeNames(child, names);
  }
  return names;
}
