import { visitorKeys } from 'oxc-parser';

/** The part of the syntax tree that extraction reads: a type, a span, and named parts. */
export interface AstNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

export function isFunction(node: AstNode): boolean {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

const wrappers = new Set([
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'ChainExpression',
  'AwaitExpression',
]);

export function unwrap(node: AstNode): AstNode {
  let inner = node;
  while (wrappers.has(inner.type)) inner = (inner['expression'] ?? inner['argument']) as AstNode;
  return inner;
}

export function identifierName(node: unknown): string {
  const named = node as AstNode | null | undefined;
  return named && (named.type === 'Identifier' || named.type === 'PrivateIdentifier')
    ? (named['name'] as string)
    : '';
}

const writtenTypes = new Set(
  Object.keys(visitorKeys).filter((type) => type.startsWith('TSType') && type !== 'TSTypeAssertion'),
);
export const isWrittenType = (node: AstNode): boolean => writtenTypes.has(node.type);

/** Nothing is called, declared or answered in there. */
const typeParts = new Set(['returnType', 'typeAnnotation', 'typeArguments', 'typeParameters']);
const partsOf = new Map(
  Object.entries(visitorKeys).map(([type, parts]) => [type, parts.filter((part) => !typeParts.has(part))]),
);

type Visit<Context> = (child: AstNode, context: Context) => void;

/**
 * The parts of a node in their order, those left out that are types. The kinds that most code consists of are asked for their
 * parts by name: where the names come from a list, an engine has to look each of them up.
 */
export function eachChild<Context>(node: AstNode, visit: Visit<Context>, context: Context): void {
  switch (node.type) {
    case 'Literal':
      return;
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      visit(node['left'] as AstNode, context);
      visit(node['right'] as AstNode, context);
      return;
    case 'CallExpression':
      visit(node['callee'] as AstNode, context);
      eachOf(node['arguments'], visit, context);
      return;
    case 'MemberExpression':
      visit(node['object'] as AstNode, context);
      visit(node['property'] as AstNode, context);
      return;
    case 'BlockStatement':
      eachOf(node['body'], visit, context);
      return;
    case 'ExpressionStatement':
      visit(node['expression'] as AstNode, context);
      return;
    case 'VariableDeclaration':
      eachOf(node['declarations'], visit, context);
      return;
    case 'VariableDeclarator':
      visit(node['id'] as AstNode, context);
      if (node['init']) visit(node['init'] as AstNode, context);
      return;
    case 'Property':
      visit(node['key'] as AstNode, context);
      visit(node['value'] as AstNode, context);
      return;
    case 'ReturnStatement':
    case 'AwaitExpression':
      if (node['argument']) visit(node['argument'] as AstNode, context);
      return;
    case 'IfStatement':
    case 'ConditionalExpression':
      visit(node['test'] as AstNode, context);
      visit(node['consequent'] as AstNode, context);
      if (node['alternate']) visit(node['alternate'] as AstNode, context);
      return;
    case 'ObjectExpression':
      eachOf(node['properties'], visit, context);
      return;
    case 'ArrayExpression':
      eachOf(node['elements'], visit, context);
      return;
    default:
      eachPart(node, visit, context);
  }
}

function eachOf<Context>(list: unknown, visit: Visit<Context>, context: Context): void {
  for (const item of list as (AstNode | null)[]) if (item) visit(item, context);
}

function eachPart<Context>(node: AstNode, visit: Visit<Context>, context: Context): void {
  const parts = partsOf.get(node.type);
  if (!parts) return;
  for (const key of parts) {
    const value = node[key];
    if (!value) continue;
    if (Array.isArray(value)) eachOf(value, visit, context);
    else visit(value as AstNode, context);
  }
}
