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

export function eachChild(
  node: AstNode,
  keys: Record<string, string[]>,
  visit: (child: AstNode) => void,
): void {
  const parts = keys[node.type];
  if (!parts) return;
  for (const key of parts) {
    const value = node[key];
    if (!value) continue;
    if (!Array.isArray(value)) visit(value as AstNode);
    else for (const item of value) if (item) visit(item as AstNode);
  }
}
