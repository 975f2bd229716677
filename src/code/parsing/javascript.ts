import { type ParserOptions, parseSync } from 'oxc-parser';
import type { FileFacts, TypeFact } from './facts.js';
import {
  type AstNode,
  eachChild,
  identifierName,
  isFunction,
  isWrittenType,
  strip,
  unwrap,
} from './javascript-ast.js';
import { JavaScriptModule } from './javascript-module.js';
import {
  bind,
  enterFunction,
  findLocal,
  type Holding,
  resultTypeOf,
  type Scope,
  type Surroundings,
  typeOf,
} from './javascript-scopes.js';
import {
  collectTypes,
  interfaceType,
  itemOf,
  keyName,
  type TypeCollector,
  writtenType,
} from './javascript-types.js';
import { type SourceText, SymbolCollector, TokenIndex } from './tokens.js';

interface Place extends Surroundings {
  symbol: number;
}

/** Tolerates syntax errors. */
export function extractJavaScript(path: string, source: SourceText): FileFacts {
  const { program, comments } = parseSync(path, source.text, {
    lang: dialectOf(path),
    sourceType: 'unambiguous',
    preserveParens: false,
  });
  const collector = new SymbolCollector();
  const types = collectTypes();
  new Extraction(collector, types).run(program as unknown as AstNode);
  const facts = collector.finish(new TokenIndex(source, comments));
  return types.addTo(facts);
}

function dialectOf(path: string): ParserOptions['lang'] {
  if (/\.d\.[mc]?ts$/.test(path)) return 'dts';
  if (path.endsWith('.tsx')) return 'tsx';
  if (/\.[mc]?ts$/.test(path)) return 'ts';
  return 'jsx';
}

class Extraction {
  readonly #module: JavaScriptModule;
  readonly #visit = (node: AstNode, place: Place) => this.#walk(node, place);

  constructor(
    readonly collector: SymbolCollector,
    readonly types: TypeCollector,
  ) {
    this.#module = new JavaScriptModule(collector);
  }

  run(program: AstNode): void {
    const place: Place = { symbol: -1, owner: '', scopes: [], known: new Map() };
    this.#statements((program['body'] as AstNode[] | undefined) ?? [], place);
  }

  #statements(statements: readonly AstNode[], place: Place): void {
    for (const statement of statements) this.#statement(statement, statement, place);
  }

  #statement(statement: AstNode, span: AstNode, place: Place): void {
    switch (statement.type) {
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration': {
        this.#module.export(statement);
        const declaration = statement['declaration'] as AstNode | null;
        if (declaration) this.#exported(declaration, statement, place);
        return;
      }
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'TSImportEqualsDeclaration':
      case 'TSExportAssignment':
        this.#module.import(statement);
        return;
      case 'FunctionDeclaration':
      case 'TSDeclareFunction':
        this.#function(statement, identifierName(statement['id']), span, place);
        return;
      case 'ClassDeclaration':
        this.#class(statement, identifierName(statement['id']), span, place);
        return;
      case 'TSInterfaceDeclaration':
        this.collector.declare(identifierName(statement['id']), 'interface', span.start, span.end);
        this.types.name(identifierName(statement['id']), interfaceType(statement));
        return;
      case 'TSTypeAliasDeclaration':
        this.collector.declare(identifierName(statement['id']), 'type', span.start, span.end);
        this.types.name(identifierName(statement['id']), writtenType(statement['typeAnnotation'] as AstNode));
        return;
      case 'TSEnumDeclaration':
        this.collector.declare(identifierName(statement['id']), 'enum', span.start, span.end);
        return;
      case 'TSModuleDeclaration': {
        const body = statement['body'] as AstNode | null;
        if (body?.type === 'TSModuleBlock') this.#statements(body['body'] as AstNode[], place);
        else if (body) this.#statement(body, body, place);
        return;
      }
      case 'VariableDeclaration':
        for (const declarator of statement['declarations'] as AstNode[])
          this.#declarator(declarator, span, place);
        return;
      case 'ExpressionStatement':
        if (!this.#assignment(statement, place)) this.#walk(statement, place);
        return;
      default:
        this.#walk(statement, place);
    }
  }

  #exported(declaration: AstNode, span: AstNode, place: Place): void {
    const isDefault = span.type === 'ExportDefaultDeclaration';
    const value = unwrap(declaration);
    if (isDefault && isFunction(value))
      this.#function(value, identifierName(value['id']) || 'default', span, place);
    else if (isDefault && (value.type === 'ClassDeclaration' || value.type === 'ClassExpression'))
      this.#class(value, identifierName(value['id']) || 'default', span, place);
    else this.#statement(declaration, span, place);
  }

  #declarator(declarator: AstNode, span: AstNode, place: Place): void {
    const name = identifierName(declarator['id']);
    const init = declarator['init'] ? unwrap(declarator['init'] as AstNode) : undefined;
    if (init && this.#module.require(declarator['id'] as AstNode, init)) return;
    if (name && init && isFunction(init)) this.#function(init, name, span, place);
    else if (name && init?.type === 'ClassExpression') this.#class(init, name, span, place);
    else {
      const held: Scope = new Map();
      bind(declarator['id'] as AstNode, () => (init ? typeOf(init, place) : null), held, place);
      for (const [constant, holding] of held) this.types.hold(constant, holding());
      if (init) this.#walk(init, place);
    }
  }

  #assignment(statement: AstNode, place: Place): boolean {
    const expression = unwrap(statement['expression'] as AstNode);
    if (expression.type !== 'AssignmentExpression') return false;
    const value = unwrap(expression['right'] as AstNode);
    const target = this.#module.assigned(expression['left'] as AstNode, value);
    if (target === undefined) return false;
    if (target && isFunction(value)) this.#function(value, target, statement, place);
    else if (target && value.type === 'ClassExpression') this.#class(value, target, statement, place);
    else this.#walk(value, place);
    return true;
  }

  #function(node: AstNode, name: string, span: AstNode, place: Place): void {
    const symbol = name ? this.collector.declare(name, 'function', span.start, span.end) : -1;
    const inside = this.#enter(node, { ...place, symbol: symbol < 0 ? place.symbol : symbol });
    if (symbol >= 0) this.types.answer(name, resultTypeOf(node, inside));
  }

  #class(node: AstNode, name: string, span: AstNode, place: Place): void {
    const parent = node['superClass'] ? unwrap(node['superClass'] as AstNode) : undefined;
    const bases = parent?.type === 'Identifier' ? [parent['name'] as string] : [];
    const symbol = this.collector.declare(name, 'class', span.start, span.end, bases);
    const members = ((node['body'] as AstNode)['body'] as AstNode[]) ?? [];
    const inside: Place = { ...place, symbol: symbol < 0 ? place.symbol : symbol, owner: name };
    for (const member of members) this.#member(member, name, inside);
    if (parent && bases.length === 0) this.#walk(parent, place);
  }

  #member(member: AstNode, owner: string, place: Place): void {
    const key = member['key'] as AstNode | undefined;
    const name = key && !member['computed'] ? keyName(key) : '';
    const value = member['value'] ? unwrap(member['value'] as AstNode) : undefined;
    const isMethod = member.type === 'MethodDefinition' || member.type === 'TSAbstractMethodDefinition';
    if (name && value && (isMethod || isFunction(value))) {
      const symbol = this.collector.declare(`${owner}.${name}`, 'method', member.start, member.end);
      const inside = this.#enter(value, { ...place, symbol: symbol < 0 ? place.symbol : symbol });
      const answer = resultTypeOf(value, inside);
      if (member['kind'] === 'get') this.types.name(`${owner}.${name}`, answer);
      else this.types.answer(`${owner}.${name}`, answer);
      if (member['kind'] === 'constructor') this.#handedFields(value, owner, inside);
      return;
    }
    const annotation = member['typeAnnotation'] as AstNode | null | undefined;
    const type = annotation ? writtenType(annotation) : value ? typeOf(value, place) : null;
    if (name && member.type.endsWith('PropertyDefinition')) this.types.name(`${owner}.${name}`, type);
    this.#walkParts(member, place);
  }

  #handedFields(constructed: AstNode, owner: string, inside: Surroundings): void {
    for (const parameter of (constructed['params'] as AstNode[] | undefined) ?? []) {
      if (parameter.type !== 'TSParameterProperty') continue;
      const fields: Scope = new Map();
      bind(parameter, () => null, fields, inside);
      for (const [name, holding] of fields) this.types.name(`${owner}.${name}`, holding());
    }
  }

  #enter(node: AstNode, place: Place, handed?: Holding): Place {
    const inside = enterFunction(node, place, handed);
    for (const parameter of node['params'] as AstNode[]) this.#walk(parameter, inside);
    if (node['body']) this.#walk(node['body'] as AstNode, inside);
    return inside;
  }

  #walk(node: AstNode, place: Place): void {
    switch (node.type) {
      case 'Identifier':
      case 'Literal':
        return;
      case 'CallExpression':
        if (this.#call(node, place)) return;
        break;
      case 'ArrowFunctionExpression':
      case 'FunctionDeclaration':
      case 'FunctionExpression':
        this.#enter(node, place);
        return;
      case 'ClassDeclaration':
      case 'ClassExpression':
        this.#nestedClass(node, place);
        return;
      case 'NewExpression':
        this.#plain(unwrap(node['callee'] as AstNode), place);
        break;
      case 'TaggedTemplateExpression':
        this.#callee(unwrap(node['tag'] as AstNode), place);
        break;
      case 'JSXOpeningElement':
        this.#element(node['name'] as AstNode, place);
        break;
      case 'ImportExpression':
        this.#module.dynamic(node['source'] as AstNode);
        break;
      default:
        if (isWrittenType(node)) return;
    }
    this.#walkParts(node, place);
  }

  #walkParts(node: AstNode, place: Place): void {
    eachChild(node, this.#visit, place);
  }

  /** Calls in a nested class belong to the surrounding function. */
  #nestedClass(node: AstNode, place: Place): void {
    for (const member of (node['body'] as AstNode)['body'] as AstNode[])
      this.#walkParts(member, { ...place, owner: '' });
  }

  /** Returns whether the arguments were visited too. */
  #call(node: AstNode, place: Place): boolean {
    const callee = unwrap(node['callee'] as AstNode);
    const given = node['arguments'] as AstNode[];
    if (identifierName(callee) === 'require') this.#module.dynamic(given[0]);
    this.#callee(callee, place);
    const [first] = given;
    if (!first || !isFunction(first) || !isOverItems(callee)) return false;
    this.#walk(node['callee'] as AstNode, place);
    this.#enter(first, place, () => itemOf(typeOf(callee['object'] as AstNode, place)));
    for (const other of given.slice(1)) this.#walk(other, place);
    return true;
  }

  #callee(callee: AstNode, place: Place): void {
    if (callee.type === 'Super') this.collector.call(place.symbol, 'base', 'constructor', place.owner);
    else if (callee.type === 'Identifier') this.#plain(callee, place);
    else if (callee.type === 'MemberExpression' && !callee['computed'])
      this.#memberCall(strip(callee['object'] as AstNode), identifierName(callee['property']), place);
  }

  #plain(callee: AstNode, place: Place): void {
    if (callee.type !== 'Identifier') return;
    const name = callee['name'] as string;
    const local = findLocal(name, place);
    if (local) this.#callOn('', local(), place);
    else this.collector.call(place.symbol, 'plain', name);
  }

  /** An element counts as a call of its component, but `<div>` does not. */
  #element(name: AstNode, place: Place): void {
    if (name.type === 'JSXMemberExpression')
      this.#memberCall(
        asIdentifier(name['object'] as AstNode),
        (name['property'] as AstNode)['name'] as string,
        place,
      );
    else if (name.type === 'JSXIdentifier' && !/^[a-z]/.test(name['name'] as string))
      this.#plain(asIdentifier(name), place);
  }

  #memberCall(object: AstNode, method: string, place: Place): void {
    if (!method) return;
    if (object.type === 'ThisExpression' && place.owner)
      this.collector.call(place.symbol, 'own', method, place.owner);
    else if (object.type === 'Super' && place.owner)
      this.collector.call(place.symbol, 'base', method, place.owner);
    else if (object.type === 'Identifier' && !findLocal(object['name'] as string, place))
      this.collector.call(place.symbol, 'member', method, object['name'] as string);
    else this.#callOn(method, typeOf(object, place), place);
  }

  #callOn(method: string, type: TypeFact | null, place: Place): void {
    if (type === null) return;
    if (typeof type === 'string' && method) this.collector.call(place.symbol, 'typed', method, type);
    else this.collector.callOn(place.symbol, method, type);
  }
}

const overItems = new Set([
  'map',
  'flatMap',
  'filter',
  'find',
  'findLast',
  'forEach',
  'some',
  'every',
  'toSorted',
  'sort',
]);

/** In `list.map((item) => …)` the first parameter is an item of the list. */
const isOverItems = (callee: AstNode) =>
  callee.type === 'MemberExpression' && overItems.has(identifierName(callee['property']));

const asIdentifier = (name: AstNode): AstNode =>
  name.type === 'JSXIdentifier' ? { ...name, type: 'Identifier' } : name;
