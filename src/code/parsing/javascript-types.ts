import type { FileFacts, TypeFact, TypeTable } from './facts.js';
import { type AstNode, identifierName } from './javascript-ast.js';

/** Larger types are dropped, because hostile code could make them grow without limit. */
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
  const typed = also.length > 0 ? members : members.filter(([, type]) => type !== null);
  if (typed.length + also.length === 0) return null;
  return make(['object', typed, also], [...typed.map(([, type]) => type), ...also]);
}

/** Returns null when any of the types is unknown. */
export function eitherOf(types: readonly (TypeFact | null)[]): TypeFact | null {
  if (types.some((type) => type === null)) return null;
  const known = types as TypeFact[];
  return known.length > 1 ? make(['either', known], known) : (known[0] ?? null);
}

/** Wrapper types that are replaced by the type they wrap. */
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

export function interfaceType(node: AstNode): TypeFact | null {
  const also = (node['extends'] as AstNode[] | undefined)?.flatMap(
    (base) => identifierName(base['expression']) || [],
  );
  return objectOf(writtenMembers((node['body'] as AstNode)['body'] as AstNode[]), also ?? []);
}

/** Whether a type refers to a name that the file declares or imports. */
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

/** A nested function belongs to the surrounding symbol. */
export const holdsFunction = (type: TypeFact): boolean =>
  typeof type !== 'string' &&
  (type[0] === 'function' ||
    (type[0] === 'object' && type[1].some(([, member]) => member !== null && holdsFunction(member))));

type Named = Map<string, TypeFact | null>;

export type TypeCollector = ReturnType<typeof collectTypes>;

export function collectTypes() {
  const named: Named = new Map();
  const results: Named = new Map();
  const values: Named = new Map();

  const noteIn = (table: Named) => (name: string, type: TypeFact | null) => {
    if (!name) return;
    const isSame = !table.has(name) || JSON.stringify(table.get(name)) === JSON.stringify(type);
    table.set(name, isSame ? type : null);
  };

  function addTo(facts: FileFacts): FileFacts {
    const isKnown = knownNames(facts, values);
    const listKnown = (table: Named): [string, TypeFact][] =>
      [...table].filter(
        (entry): entry is [string, TypeFact] =>
          entry[1] !== null && (leadsSomewhere(entry[1], isKnown) || holdsFunction(entry[1])),
      );
    const types: TypeTable = {
      named: listKnown(named),
      results: listKnown(results),
      values: listKnown(values),
    };
    facts.calls = facts.calls.filter(([, form, name, owner]) => {
      if (form === 'plain') return isKnown(name);
      return form === 'own' || form === 'base' || leadsSomewhere(owner, isKnown);
    });
    const isEmpty = types.named.length + types.results.length + types.values.length === 0;
    return isEmpty ? facts : { ...facts, types };
  }

  return { name: noteIn(named), answer: noteIn(results), hold: noteIn(values), addTo };
}

/** Names that the file declares or imports. Only these can refer to code of the project. */
function knownNames(facts: FileFacts, values: Named): (name: string) => boolean {
  const names = new Set([...values].filter(([, type]) => type !== null).map(([name]) => name));
  for (const { name } of facts.symbols) names.add(name);
  for (const { names: taken, namespace } of facts.imports) {
    for (const [, local] of taken) names.add(local);
    if (namespace) names.add(namespace);
  }
  return (name) => names.has(name);
}
