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

/** The class a variable holds, as far as its annotation or a `new` says so. */
export function typeName(holder: AstNode, init?: AstNode | null): string | null {
  const annotation = (holder['typeAnnotation'] as AstNode | null | undefined)?.['typeAnnotation'] as
    | AstNode
    | undefined;
  if (annotation?.type === 'TSTypeReference') return identifierName(annotation['typeName']) || null;
  const value = init ? unwrap(init) : undefined;
  if (value?.type === 'NewExpression') return identifierName(value['callee']) || null;
  return null;
}

/** The names a pattern binds, each with the class it is known to hold. */
export function patternNames(pattern: AstNode, init?: AstNode | null): [string, string | null][] {
  switch (pattern.type) {
    case 'Identifier':
      return [[pattern['name'] as string, typeName(pattern, init)]];
    case 'AssignmentPattern':
      return patternNames(pattern['left'] as AstNode, pattern['right'] as AstNode);
    case 'RestElement':
      return patternNames(pattern['argument'] as AstNode);
    case 'TSParameterProperty':
      return patternNames(pattern['parameter'] as AstNode);
    case 'ArrayPattern':
      return (pattern['elements'] as (AstNode | null)[]).flatMap((element) =>
        element ? patternNames(element) : [],
      );
    case 'ObjectPattern':
      return (pattern['properties'] as AstNode[]).flatMap((property) =>
        patternNames((property.type === 'Property' ? property['value'] : property) as AstNode),
      );
    default:
      return [];
  }
}
