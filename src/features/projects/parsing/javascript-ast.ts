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

/** Nothing is called, declared or answered in there. */
const typeParts = new Set(['returnType', 'typeAnnotation', 'typeArguments', 'typeParameters']);
const partsOf = new Map(
  Object.entries(visitorKeys).map(([type, parts]) => [type, parts.filter((part) => !typeParts.has(part))]),
);

/** The parts of a node in their order, those left out that are types. */
export function eachChild(node: AstNode, visit: (child: AstNode) => void): void {
  const parts = partsOf.get(node.type);
  if (!parts) return;
  for (const key of parts) {
    const value = node[key];
    if (!value) continue;
    if (!Array.isArray(value)) visit(value as AstNode);
    else for (const item of value) if (item) visit(item as AstNode);
  }
}
