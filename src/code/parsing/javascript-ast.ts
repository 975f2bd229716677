import { visitorKeys } from 'oxc-parser';

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

/** Expressions that change neither a value nor its type. */
export const transparent = new Set([
  'AwaitExpression',
  'ChainExpression',
  'ParenthesizedExpression',
  'TSInstantiationExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
]);
const wrappers = new Set([...transparent, 'TSAsExpression', 'TSTypeAssertion']);

export const strip = (node: AstNode): AstNode => innerOf(node, transparent);
export const unwrap = (node: AstNode): AstNode => innerOf(node, wrappers);

function innerOf(node: AstNode, around: ReadonlySet<string>): AstNode {
  let inner = node;
  while (around.has(inner.type)) inner = (inner['expression'] ?? inner['argument']) as AstNode;
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

/** Type positions contain no calls. */
const typeParts = new Set(['returnType', 'typeAnnotation', 'typeArguments', 'typeParameters']);
const partsOf = new Map(
  Object.entries(visitorKeys).map(([type, parts]) => [type, parts.filter((part) => !typeParts.has(part))]),
);

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
