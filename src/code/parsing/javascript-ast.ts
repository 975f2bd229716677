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

/** The parts of a node in their order, those left out that are types. */
export function eachChild<Context>(
  node: AstNode,
  visit: (child: AstNode, context: Context) => void,
  context: Context,
): void {
  for (const key of partsOf.get(node.type) ?? []) {
    const value = node[key];
    if (Array.isArray(value)) {
      for (const item of value as (AstNode | null)[]) if (item) visit(item, context);
    } else if (value) visit(value as AstNode, context);
  }
}
