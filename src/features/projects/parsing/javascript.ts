import { type ParserOptions, parseSync, visitorKeys } from 'oxc-parser';
import type { FileFacts } from './facts.js';
import {
  type AstNode,
  eachChild,
  identifierName,
  isFunction,
  patternNames,
  typeName,
  unwrap,
} from './javascript-ast.js';
import { JavaScriptModule } from './javascript-module.js';
import { SymbolCollector } from './symbol-collector.js';
import { TokenIndex } from './tokens.js';

type Scope = Map<string, string | null>;

interface Place {
  symbol: number;
  /** Dotted name of the class around, for `this` and `super`. */
  owner: string;
  scopes: readonly Scope[];
}

/** Facts of a TypeScript or JavaScript file; a file with syntax errors gives what could still be read. */
export function extractJavaScript(path: string, source: string): FileFacts {
  const result = parseSync(path, source, {
    lang: dialectOf(path),
    sourceType: 'unambiguous',
    preserveParens: false,
  });
  const collector = new SymbolCollector();
  const program = result.program as unknown as AstNode;
  new Extraction(collector).run(program);
  return collector.finish(new TokenIndex(source, result.comments));
}

function dialectOf(path: string): ParserOptions['lang'] {
  if (/\.d\.[mc]?ts$/.test(path)) return 'dts';
  if (path.endsWith('.tsx')) return 'tsx';
  if (/\.[mc]?ts$/.test(path)) return 'ts';
  return 'jsx';
}

class Extraction {
  readonly #fields = new Map<string, Map<string, string>>();
  readonly #module: JavaScriptModule;
  readonly #moduleTypes: Scope = new Map();

  constructor(readonly collector: SymbolCollector) {
    this.#module = new JavaScriptModule(collector);
  }

  run(program: AstNode): void {
    const place: Place = { symbol: -1, owner: '', scopes: [] };
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
        return;
      case 'TSTypeAliasDeclaration':
        this.collector.declare(identifierName(statement['id']), 'type', span.start, span.end);
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
      if (name) this.#moduleTypes.set(name, typeName(declarator['id'] as AstNode, init));
      if (init) this.#walk(init, place);
    }
  }

  /** `exports.f = …`, `module.exports.f = …` and `Class.prototype.f = …` declare what they assign. */
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
    this.#enter(node, { ...place, symbol: symbol < 0 ? place.symbol : symbol });
  }

  #class(node: AstNode, name: string, span: AstNode, place: Place): void {
    const parent = node['superClass'] ? unwrap(node['superClass'] as AstNode) : undefined;
    const bases = parent?.type === 'Identifier' ? [parent['name'] as string] : [];
    const symbol = this.collector.declare(name, 'class', span.start, span.end, bases);
    const members = ((node['body'] as AstNode)['body'] as AstNode[]) ?? [];
    this.#fields.set(name, fieldTypes(members));
    const inside: Place = { ...place, symbol: symbol < 0 ? place.symbol : symbol, owner: name };
    for (const member of members) this.#member(member, name, inside);
    if (parent && bases.length === 0) this.#walk(parent, place);
  }

  #member(member: AstNode, owner: string, place: Place): void {
    const key = member['key'] as AstNode | undefined;
    const name = key && !member['computed'] ? identifierName(key) || literalName(key) : '';
    const value = member['value'] ? unwrap(member['value'] as AstNode) : undefined;
    const isMethod = member.type === 'MethodDefinition' || member.type === 'TSAbstractMethodDefinition';
    if (name && value && (isMethod || isFunction(value))) {
      const symbol = this.collector.declare(`${owner}.${name}`, 'method', member.start, member.end);
      this.#enter(value, { ...place, symbol: symbol < 0 ? place.symbol : symbol });
    } else eachChild(member, visitorKeys, (child) => this.#walk(child, place));
  }

  #enter(node: AstNode, place: Place): void {
    const scope: Scope = new Map();
    for (const parameter of (node['params'] as AstNode[] | undefined) ?? []) {
      for (const [name, type] of patternNames(parameter)) scope.set(name, type);
    }
    const body = node['body'] as AstNode | null;
    if (body) collectLocals(body, scope);
    const inside = { ...place, scopes: [...place.scopes, scope] };
    eachChild(node, visitorKeys, (child) => {
      if (child !== node['id']) this.#walk(child, inside);
    });
  }

  #walk(node: AstNode, place: Place): void {
    if (node.type === 'Identifier' || node.type === 'Literal') return;
    if (isFunction(node)) {
      this.#enter(node, place);
      return;
    }
    if (node.type === 'ClassExpression' || node.type === 'ClassDeclaration') {
      this.#nestedClass(node, place);
      return;
    }
    if (node.type === 'CallExpression') this.#call(node, place);
    else if (node.type === 'NewExpression') this.#plain(unwrap(node['callee'] as AstNode), place);
    else if (node.type === 'ImportExpression') this.#module.dynamic(node['source'] as AstNode);
    else if (node.type.startsWith('TSType') && node.type !== 'TSTypeAssertion') return;
    eachChild(node, visitorKeys, (child) => this.#walk(child, place));
  }

  /** A class inside a function is no symbol, but what it calls belongs to the function around it. */
  #nestedClass(node: AstNode, place: Place): void {
    for (const member of (node['body'] as AstNode)['body'] as AstNode[])
      eachChild(member, visitorKeys, (child) => this.#walk(child, { ...place, owner: '' }));
  }

  #plain(callee: AstNode, place: Place): void {
    if (callee.type !== 'Identifier') return;
    const name = callee['name'] as string;
    if (!place.scopes.some((scope) => scope.has(name))) this.collector.call(place.symbol, 'plain', name);
  }

  #call(node: AstNode, place: Place): void {
    const callee = unwrap(node['callee'] as AstNode);
    if (callee.type === 'Super') this.collector.call(place.symbol, 'base', 'constructor', place.owner);
    else if (callee.type === 'Identifier') {
      if (callee['name'] === 'require') this.#module.dynamic((node['arguments'] as AstNode[])[0]);
      this.#plain(callee, place);
    } else if (callee.type === 'MemberExpression' && !callee['computed'])
      this.#memberCall(unwrap(callee['object'] as AstNode), identifierName(callee['property']), place);
  }

  #memberCall(object: AstNode, method: string, place: Place): void {
    const from = place.symbol;
    if (object.type === 'ThisExpression' && place.owner)
      this.collector.call(from, 'own', method, place.owner);
    else if (object.type === 'Super' && place.owner) this.collector.call(from, 'base', method, place.owner);
    else if (object.type === 'NewExpression') {
      const callee = unwrap(object['callee'] as AstNode);
      if (callee.type === 'Identifier') this.collector.call(from, 'typed', method, callee['name'] as string);
    } else if (object.type === 'Identifier') this.#namedReceiver(object['name'] as string, method, place);
    else if (object.type === 'MemberExpression' && (object['object'] as AstNode).type === 'ThisExpression') {
      const type = this.#fields.get(place.owner)?.get(identifierName(object['property']));
      if (type) this.collector.call(from, 'typed', method, type);
    }
  }

  #namedReceiver(name: string, method: string, place: Place): void {
    const scope = place.scopes.findLast((candidate) => candidate.has(name));
    const type = scope ? scope.get(name) : this.#moduleTypes.get(name);
    if (type) this.collector.call(place.symbol, 'typed', method, type);
    else if (!scope) this.collector.call(place.symbol, 'member', method, name);
  }
}

function literalName(key: AstNode): string {
  return key.type === 'Literal' && typeof key['value'] === 'string' ? key['value'] : '';
}

function fieldTypes(members: readonly AstNode[]): Map<string, string> {
  const types = new Map<string, string>();
  const add = (name: string, type: string | null) => name && type && types.set(name, type);
  for (const member of members) {
    if (member.type === 'PropertyDefinition') {
      add(identifierName(member['key']), typeName(member, member['value'] as AstNode | undefined));
    } else if (member['kind'] === 'constructor') {
      for (const parameter of ((member['value'] as AstNode)['params'] as AstNode[]) ?? []) {
        if (parameter.type !== 'TSParameterProperty') continue;
        for (const [name, type] of patternNames(parameter)) add(name, type);
      }
    }
  }
  return types;
}

/** Names a function's body declares, without looking into the functions inside it. */
function collectLocals(node: AstNode, scope: Scope): void {
  if (node.type === 'VariableDeclarator') {
    const init = node['init'] ? unwrap(node['init'] as AstNode) : undefined;
    for (const [name, type] of patternNames(node['id'] as AstNode, init)) scope.set(name, type);
  } else if (node.type === 'CatchClause' && node['param']) {
    for (const [name] of patternNames(node['param'] as AstNode)) scope.set(name, null);
  }
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
    scope.set(identifierName(node['id']), null);
    return;
  }
  // Declarations are statements: nothing inside an expression can be one of this function.
  if (node.type.endsWith('Expression') || node.type.endsWith('Literal')) return;
  eachChild(node, visitorKeys, (child) => collectLocals(child, scope));
}
