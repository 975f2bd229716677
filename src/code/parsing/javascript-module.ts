import type { ImportFact } from './facts.js';
import { type AstNode, identifierName, unwrap } from './javascript-ast.js';
import type { SymbolCollector } from './tokens.js';

/** Collects imports and exports in ES module and CommonJS form. */
export class JavaScriptModule {
  constructor(readonly collector: SymbolCollector) {}

  import(node: AstNode): void {
    if (node.type === 'TSImportEqualsDeclaration') {
      const reference = node['moduleReference'] as AstNode;
      if (reference.type === 'TSExternalModuleReference')
        this.#add(reference['expression'], {
          namespace: identifierName(node['id']),
          names: [['default', identifierName(node['id'])]],
        });
      return;
    }
    if (node.type === 'TSExportAssignment') {
      const name = identifierName(node['expression']);
      if (name) this.collector.facts.exports.push(['default', name]);
      return;
    }
    if (node.type === 'ExportAllDeclaration') {
      const exported = exportedName(node['exported']);
      this.#add(node['source'], exported ? { names: [] } : { reexportsAll: true });
      return;
    }
    const fact: Partial<ImportFact> = { names: [] };
    for (const specifier of node['specifiers'] as AstNode[]) {
      const local = identifierName(specifier['local']);
      if (specifier.type === 'ImportNamespaceSpecifier') fact.namespace = local;
      else if (specifier.type === 'ImportDefaultSpecifier') fact.names!.push(['default', local]);
      else fact.names!.push([exportedName(specifier['imported']), local]);
    }
    this.#add(node['source'], fact);
  }

  export(node: AstNode): void {
    const { exports } = this.collector.facts;
    const declaration = node['declaration'] as AstNode | null;
    if (node.type === 'ExportDefaultDeclaration') {
      const value = unwrap(declaration!);
      const name =
        value.type === 'Identifier' ? (value['name'] as string) : identifierName(value['id']) || 'default';
      exports.push(['default', name]);
      return;
    }
    if (declaration) {
      for (const name of declaredNames(declaration)) exports.push([name, name]);
      return;
    }
    const pairs = (node['specifiers'] as AstNode[]).map((specifier): [string, string] => [
      exportedName(specifier['local']),
      exportedName(specifier['exported']),
    ]);
    if (node['source']) this.#add(node['source'], { reexports: pairs });
    else for (const [local, exported] of pairs) exports.push([exported, local]);
  }

  /** Handles `const x = require('…')`, also with destructuring. Returns false for any other statement. */
  require(target: AstNode, init: AstNode): boolean {
    const callee = init.type === 'CallExpression' ? (init['callee'] as AstNode) : undefined;
    if (identifierName(callee) !== 'require') return false;
    const source = (init['arguments'] as AstNode[])[0];
    if (target.type === 'Identifier') {
      const name = target['name'] as string;
      this.#add(source, { namespace: name, names: [['default', name]] });
    } else if (target.type === 'ObjectPattern') {
      const names = (target['properties'] as AstNode[])
        .filter((property) => property.type === 'Property')
        .map((property): [string, string] => [
          identifierName(property['key']),
          identifierName(property['value']),
        ])
        .filter(([imported, local]) => imported && local);
      this.#add(source, { names });
    } else this.#add(source, {});
    return true;
  }

  dynamic(source: AstNode | undefined): void {
    this.#add(source, {});
  }

  /** Returns the symbol that an assignment declares, '' for an exported value, or undefined. */
  assigned(left: AstNode, value: AstNode): string | undefined {
    if (left.type !== 'MemberExpression' || left['computed']) return undefined;
    const object = left['object'] as AstNode;
    const property = identifierName(left['property']);
    if (identifierName(object) === 'module' && property === 'exports') return this.#exportsObject(value);
    if (identifierName(object) === 'exports' || isModuleExports(object)) {
      const local = value.type === 'Identifier' ? (value['name'] as string) : property;
      this.collector.facts.exports.push([property, local]);
      return local === property ? property : '';
    }
    if (object.type === 'MemberExpression' && identifierName(object['property']) === 'prototype') {
      const owner = identifierName(object['object']);
      return owner && this.collector.has(owner) ? `${owner}.${property}` : undefined;
    }
    return undefined;
  }

  #exportsObject(value: AstNode): string {
    const { exports } = this.collector.facts;
    if (value.type === 'Identifier') exports.push(['default', value['name'] as string]);
    else if (value.type === 'ObjectExpression') {
      for (const property of value['properties'] as AstNode[]) {
        const name = property.type === 'Property' ? identifierName(property['key']) : '';
        const local = name ? identifierName(property['value']) : '';
        if (local) exports.push([name, local]);
      }
    } else {
      const name = identifierName(value['id']) || 'default';
      exports.push(['default', name]);
      return name;
    }
    return '';
  }

  #add(source: unknown, fact: Partial<ImportFact>): void {
    const node = source as AstNode | undefined;
    const value = node?.type === 'Literal' ? node['value'] : undefined;
    if (typeof value !== 'string' || value === '' || value.length > 500) return;
    this.collector.facts.imports.push({ source: value, names: [], ...fact });
  }
}

function isModuleExports(node: AstNode): boolean {
  return (
    node.type === 'MemberExpression' &&
    identifierName(node['object']) === 'module' &&
    identifierName(node['property']) === 'exports'
  );
}

function exportedName(node: unknown): string {
  const named = node as AstNode | null | undefined;
  if (named?.type === 'Literal') return String(named['value']);
  return identifierName(named);
}

function declaredNames(declaration: AstNode): string[] {
  if (declaration.type === 'VariableDeclaration')
    return (declaration['declarations'] as AstNode[]).flatMap((item) => patternNames(item['id'] as AstNode));
  const name = identifierName(declaration['id']);
  return name ? [name] : [];
}

function patternNames(pattern: AstNode): string[] {
  if (pattern.type === 'Identifier') return [pattern['name'] as string];
  const parts = (pattern['properties'] ?? pattern['elements'] ?? []) as (AstNode | null)[];
  const inner = (pattern['left'] ?? pattern['argument'] ?? pattern['value']) as AstNode | null | undefined;
  return [...parts, inner].flatMap((part) => (part ? patternNames(part) : []));
}
