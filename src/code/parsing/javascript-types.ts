import type { TypeFact } from './facts.js';
import { type AstNode, identifierName } from './javascript-ast.js';

/** Larger ones are not worth keeping, and hostile code could make them grow without end. */
const MAX_SIZE = 400;

const sizes = new WeakMap<object, number>();

const sizeOf = (type: TypeFact | null): number =>
  type === null || typeof type === 'string' ? 1 : (sizes.get(type) ?? 1);

function make<T extends Exclude<TypeFact, string>>(type: T, parts: readonly (TypeFact | null)[]): T | null {
  const size = parts.reduce((sum, part) => sum + sizeOf(part), 1);
  if (size > MAX_SIZE) return null;
  sizes.set(type, size);
  return type;
}

export const moduleValue = (name: string): TypeFact => ['value', name];

export const resultOf = (of: TypeFact | null): TypeFact | null => of && make(['result', of], [of]);

export const memberOf = (of: TypeFact | null, name: string): TypeFact | null =>
  of && name ? make(['member', of, name], [of]) : null;

export const itemOf = (of: TypeFact | null): TypeFact | null =>
  of && (of[0] === 'list' && typeof of !== 'string' ? (of[1] as TypeFact) : make(['item', of], [of]));

export const functionOf = (result: TypeFact | null): TypeFact | null => make(['function', result], [result]);

const listOf = (of: TypeFact | null): TypeFact | null => of && make(['list', of], [of]);

export function objectOf(members: [string, TypeFact | null][], also: TypeFact[] = []): TypeFact | null {
  const told = also.length > 0 ? members : members.filter(([, type]) => type !== null);
  if (told.length + also.length === 0) return null;
  return make(['object', told, also], [...told.map(([, type]) => type), ...also]);
}

/** One of several: all of them have to be known, or nothing is. */
export function eitherOf(types: readonly (TypeFact | null)[]): TypeFact | null {
  if (types.some((type) => type === null)) return null;
  const known = types as TypeFact[];
  return known.length > 1 ? make(['either', known], known) : (known[0] ?? null);
}

/** Types that say no more than what they are about. */
const transparent = new Set([
  'Promise',
  'PromiseLike',
  'Awaited',
  'Readonly',
  'Partial',
  'Required',
  'NonNullable',
  'Pick',
  'Omit',
]);
const lists = new Set([
  'Array',
  'ReadonlyArray',
  'Set',
  'ReadonlySet',
  'Iterable',
  'AsyncIterable',
  'Generator',
]);

/** The type that an annotation writes down. */
export function writtenType(node: AstNode | null | undefined): TypeFact | null {
  switch (node?.type) {
    case 'TSTypeAnnotation':
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
    case 'TSOptionalType':
      return writtenType(node['typeAnnotation'] as AstNode);
    case 'TSTypeReference':
      return referredType(node);
    case 'TSTypeQuery':
      return queriedValue(node['exprName'] as AstNode);
    case 'TSTypeLiteral':
      return objectOf(writtenMembers(node['members'] as AstNode[]));
    case 'TSFunctionType':
      return functionOf(writtenType(node['returnType'] as AstNode));
    case 'TSIndexedAccessType':
      return indexedType(node);
    case 'TSArrayType':
      return listOf(writtenType(node['elementType'] as AstNode));
    case 'TSUnionType': {
      const real = (node['types'] as AstNode[]).filter((type) => !isNothing(type));
      return eitherOf(real.map(writtenType));
    }
    case 'TSIntersectionType':
      return objectOf(
        [],
        (node['types'] as AstNode[]).map(writtenType).filter((type) => type !== null),
      );
    default:
      return null;
  }
}

const isNothing = ({ type }: AstNode) => type === 'TSNullKeyword' || type === 'TSUndefinedKeyword';

function referredType(node: AstNode): TypeFact | null {
  const name = identifierName(node['typeName']);
  const [argument] = ((node['typeArguments'] as AstNode | null)?.['params'] as AstNode[] | undefined) ?? [];
  if (transparent.has(name)) return writtenType(argument);
  if (name === 'ReturnType') return resultOf(writtenType(argument));
  if (lists.has(name)) return listOf(writtenType(argument));
  return name || null;
}

function queriedValue(node: AstNode): TypeFact | null {
  if (node.type === 'TSQualifiedName')
    return memberOf(queriedValue(node['left'] as AstNode), identifierName(node['right']));
  const name = identifierName(node);
  return name ? moduleValue(name) : null;
}

function indexedType(node: AstNode): TypeFact | null {
  const of = writtenType(node['objectType'] as AstNode);
  const index = node['indexType'] as AstNode;
  const literal = index.type === 'TSLiteralType' ? (index['literal'] as AstNode)['value'] : undefined;
  if (typeof literal === 'string') return memberOf(of, literal);
  return index.type === 'TSNumberKeyword' || typeof literal === 'number' ? itemOf(of) : null;
}

/** What an interface or a type literal says of its members. */
export function writtenMembers(members: readonly AstNode[]): [string, TypeFact | null][] {
  return members.flatMap((member): [string, TypeFact | null][] => {
    const name = member['computed'] ? '' : keyName(member['key'] as AstNode | undefined);
    if (!name) return [];
    if (member.type === 'TSMethodSignature' && member['kind'] === 'method')
      return [[name, functionOf(writtenType(member['returnType'] as AstNode | null))]];
    if (member.type === 'TSMethodSignature')
      return member['kind'] === 'get' ? [[name, writtenType(member['returnType'] as AstNode | null)]] : [];
    return member.type === 'TSPropertySignature'
      ? [[name, writtenType(member['typeAnnotation'] as AstNode | null)]]
      : [];
  });
}

export function keyName(key: AstNode | null | undefined): string {
  if (key?.type === 'Literal') return typeof key['value'] === 'string' ? key['value'] : '';
  return identifierName(key);
}

/** What an interface holds, and what those hold that it extends. */
export function interfaceType(node: AstNode): TypeFact | null {
  const also = (node['extends'] as AstNode[] | undefined)?.flatMap(
    (base) => identifierName(base['expression']) || [],
  );
  return objectOf(writtenMembers((node['body'] as AstNode)['body'] as AstNode[]), also ?? []);
}

/** Whether a type leads to anything that the file declares or takes from elsewhere. */
export function leadsSomewhere(type: TypeFact | null, isKnown: (name: string) => boolean): boolean {
  if (type === null) return false;
  if (typeof type === 'string') return isKnown(type);
  switch (type[0]) {
    case 'value':
      return isKnown(type[1]);
    case 'function':
      return leadsSomewhere(type[1], isKnown);
    case 'object':
      return (
        type[1].some(([, member]) => leadsSomewhere(member, isKnown)) ||
        type[2].some((part) => leadsSomewhere(part, isKnown))
      );
    case 'either':
      return type[1].some((part) => leadsSomewhere(part, isKnown));
    default:
      return leadsSomewhere(type[1], isKnown);
  }
}

/** A function written right here is worth knowing of as well: it belongs to the symbol around it. */
export const holdsFunction = (type: TypeFact): boolean =>
  typeof type !== 'string' &&
  (type[0] === 'function' ||
    (type[0] === 'object' && type[1].some(([, member]) => member !== null && holdsFunction(member))));
