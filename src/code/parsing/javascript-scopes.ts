import type { TypeFact } from './facts.js';
import { type AstNode, eachChild, identifierName, isFunction, strip, transparent } from './javascript-ast.js';
import {
  eitherOf,
  functionOf,
  itemOf,
  keyName,
  memberOf,
  moduleValue,
  objectOf,
  resultOf,
  writtenType,
} from './javascript-types.js';

/** Computed on first use. */
export type Holding = () => TypeFact | null;
export type Scope = Map<string, Holding>;

export interface Surroundings {
  /** Dotted name of the surrounding class, for `this` and `super`. */
  owner: string;
  scopes: readonly Scope[];
  /** Each expression is inferred once. An expression that depends on itself is unknown. */
  known: Map<AstNode, TypeFact | null>;
}

const UNKNOWN: Holding = () => null;

export function findLocal(name: string, { scopes }: Surroundings): Holding | undefined {
  for (let depth = scopes.length - 1; depth >= 0; depth--) {
    const holding = scopes[depth]!.get(name);
    if (holding) return holding;
  }
  return undefined;
}

export function typeOf(node: AstNode, place: Surroundings): TypeFact | null {
  const { known } = place;
  const before = known.get(node);
  if (before !== undefined) return before;
  known.set(node, null);
  const type = inferType(node, place);
  known.set(node, type);
  return type;
}

function inferType(node: AstNode, place: Surroundings): TypeFact | null {
  const part = (name: string) => typeOf(node[name] as AstNode, place);
  if (transparent.has(node.type)) return typeOf(strip(node), place);
  if (isFunction(node)) return functionOf(shortResultType(node, place));
  switch (node.type) {
    case 'Identifier': {
      const local = findLocal(node['name'] as string, place);
      return local ? local() : moduleValue(node['name'] as string);
    }
    case 'ThisExpression':
      return place.owner || null;
    case 'TSAsExpression':
    case 'TSTypeAssertion': {
      const written = writtenType(node['typeAnnotation'] as AstNode);
      return written === 'const' ? part('expression') : written;
    }
    case 'NewExpression': {
      const name = identifierName(node['callee']);
      return name && !findLocal(name, place) ? name : null;
    }
    case 'CallExpression':
      return resultOf(part('callee'));
    case 'MemberExpression':
      return node['computed']
        ? itemOf(part('object'))
        : memberOf(part('object'), identifierName(node['property']));
    case 'ObjectExpression':
      return literalType(node, place);
    case 'ConditionalExpression':
      return oneOf([node['consequent'], node['alternate']] as AstNode[], place);
    case 'LogicalExpression':
      return node['operator'] === '&&'
        ? part('right')
        : oneOf([node['left'], node['right']] as AstNode[], place);
    default:
      return null;
  }
}

function oneOf(choices: readonly AstNode[], place: Surroundings): TypeFact | null {
  const real = choices.filter((choice) => !isNothing(choice));
  return eitherOf(real.map((choice) => typeOf(choice, place)));
}

const isNothing = (node: AstNode) =>
  identifierName(node) === 'undefined' || (node.type === 'Literal' && node['value'] === null);

function literalType(node: AstNode, place: Surroundings): TypeFact | null {
  const members: [string, TypeFact | null][] = [];
  const also: TypeFact[] = [];
  for (const property of node['properties'] as AstNode[]) {
    if (property.type === 'SpreadElement') {
      const spread = typeOf(property['argument'] as AstNode, place);
      if (spread) also.push(spread);
    } else if (!property['computed']) {
      const name = keyName(property['key'] as AstNode);
      const isField = property['kind'] === 'init';
      if (name) members.push([name, isField ? typeOf(property['value'] as AstNode, place) : null]);
    }
  }
  return objectOf(members, also);
}

/** Returns the result type of a nested function from its annotation or its only expression. */
function shortResultType(node: AstNode, place: Surroundings): TypeFact | null {
  if (node['returnType'] || node['generator']) return writtenType(node['returnType'] as AstNode | null);
  const body = node['body'] as AstNode | null;
  if (!body || body.type === 'BlockStatement') return null;
  return typeOf(body, enterFunction(node, place));
}

/**
 * Returns the result type from the annotation, or the type that all returns share. `inside` is the scope of
 * the body.
 */
export function resultTypeOf(node: AstNode, inside: Surroundings): TypeFact | null {
  if (node['returnType'] || node['generator']) return writtenType(node['returnType'] as AstNode | null);
  const body = node['body'] as AstNode | null;
  if (!body) return null;
  if (body.type !== 'BlockStatement') return typeOf(body, inside);
  const returned: AstNode[] = [];
  collectReturns(body, returned);
  return oneOf(returned, inside);
}

function collectReturns(node: AstNode, returned: AstNode[]): void {
  if (node.type === 'ReturnStatement') {
    if (node['argument']) returned.push(node['argument'] as AstNode);
    return;
  }
  if (isFunction(node) || node.type.startsWith('Class') || node.type.endsWith('Expression')) return;
  eachChild(node, collectReturns, returned);
}

/** `handed` is the type of the first parameter if it has no annotation. */
export function enterFunction<Place extends Surroundings>(
  node: AstNode,
  place: Place,
  handed: Holding = UNKNOWN,
): Place {
  const scope: Scope = new Map();
  const inside = { ...place, scopes: [...place.scopes, scope] };
  let holding = handed;
  for (const parameter of (node['params'] as AstNode[] | undefined) ?? []) {
    bind(parameter, holding, scope, inside);
    holding = UNKNOWN;
  }
  const body = node['body'] as AstNode | null;
  if (body) collectLocals(body, inside);
  return inside;
}

export function bind(pattern: AstNode, held: Holding, scope: Scope, place: Surroundings): void {
  const annotation = pattern['typeAnnotation'] as AstNode | null | undefined;
  const holding = annotation ? () => writtenType(annotation) : held;
  switch (pattern.type) {
    case 'Identifier':
      hold(scope, pattern['name'] as string, holding);
      return;
    case 'AssignmentPattern': {
      const fallback = pattern['right'] as AstNode;
      bind(pattern['left'] as AstNode, () => holding() ?? typeOf(fallback, place), scope, place);
      return;
    }
    case 'TSParameterProperty':
      bind(pattern['parameter'] as AstNode, holding, scope, place);
      return;
    case 'RestElement':
      bind(pattern['argument'] as AstNode, holding, scope, place);
      return;
    case 'ArrayPattern':
      for (const element of pattern['elements'] as (AstNode | null)[])
        if (element)
          bind(element, element.type === 'RestElement' ? holding : () => itemOf(holding()), scope, place);
      return;
    case 'ObjectPattern':
      for (const property of pattern['properties'] as AstNode[]) {
        const name = property['computed'] ? '' : keyName(property['key'] as AstNode | undefined);
        if (property.type === 'RestElement') bind(property, holding, scope, place);
        else bind(property['value'] as AstNode, () => memberOf(holding(), name), scope, place);
      }
  }
}

/** A name with different values in different blocks is unknown. */
function hold(scope: Scope, name: string, holding: Holding): void {
  const before = scope.get(name);
  if (!before) {
    scope.set(name, holding);
    return;
  }
  scope.set(name, () => {
    const [one, other] = [before(), holding()];
    return JSON.stringify(one) === JSON.stringify(other) ? one : null;
  });
}

/**
 * Adds the declarations of a function body to the innermost scope, except declarations in nested functions.
 */
function collectLocals(node: AstNode, place: Surroundings): void {
  const scope = place.scopes.at(-1)!;
  switch (node.type) {
    // Expressions declare nothing in the scope of this function.
    case 'ExpressionStatement':
    case 'ReturnStatement':
      return;
    case 'BlockStatement':
    case 'VariableDeclaration':
      break;
    case 'VariableDeclarator': {
      const init = node['init'] as AstNode | null;
      bind(node['id'] as AstNode, init ? () => typeOf(init, place) : UNKNOWN, scope, place);
      return;
    }
    case 'ForOfStatement': {
      const left = node['left'] as AstNode;
      const each = () => itemOf(typeOf(node['right'] as AstNode, place));
      if (left.type === 'VariableDeclaration')
        bind((left['declarations'] as AstNode[])[0]!['id'] as AstNode, each, scope, place);
      collectLocals(node['body'] as AstNode, place);
      return;
    }
    case 'CatchClause':
      if (node['param']) bind(node['param'] as AstNode, UNKNOWN, scope, place);
      break;
    case 'FunctionDeclaration':
      hold(scope, identifierName(node['id']), () => functionOf(shortResultType(node, place)));
      return;
    case 'ClassDeclaration':
      hold(scope, identifierName(node['id']), UNKNOWN);
      return;
    default:
      if (node.type.endsWith('Expression') || node.type.endsWith('Literal')) return;
  }
  eachChild(node, collectLocals, place);
}
