import type { Node } from 'web-tree-sitter';
import {
  bareType,
  childrenOfType,
  field,
  fieldText,
  type Grammar,
  type Place,
  type SyntaxWalk,
  textOf,
} from './syntax-walk.js';

function innermost(node: Node | null): Node | null {
  let inner = node;
  for (let next = inner; next; next = field(inner!, 'declarator') ?? wrapped(inner!)) inner = next;
  return inner;
}

function wrapped(node: Node): Node | null {
  return node.type === 'reference_declarator' || node.type === 'parenthesized_declarator'
    ? node.namedChild(0)
    : null;
}

function parameters(node: Node): [string, string | null][] {
  let shape = field(node, 'declarator');
  while (shape && shape.type !== 'function_declarator') shape = field(shape, 'declarator') ?? wrapped(shape);
  return childrenOfType(shape ? field(shape, 'parameters') : null, 'parameter_declaration').map((item) => [
    textOf(innermost(field(item, 'declarator'))),
    bareType(fieldText(item, 'type')),
  ]);
}

function functionDefinition(node: Node, place: Place, walk: SyntaxWalk): void {
  const name = innermost(field(node, 'declarator'));
  if (name?.type === 'qualified_identifier') qualifiedDefinition(node, name, place, walk);
  else if (name) walk.declareFunction(node, plain(name), place, { parameters: parameters(node) });
  else walk.children(node, place);
}

function qualifiedDefinition(node: Node, name: Node, place: Place, walk: SyntaxWalk): void {
  const parts = name.text.replace(/<[^<>]*>/g, '').split('::');
  const method = parts.pop()!;
  const owner = parts.at(-1) ?? '';
  // `Class::method` and `namespace::function` look alike, so a capital letter decides.
  const isClass = /^[A-Z]/.test(owner) || walk.collector.has(owner);
  walk.declareFunction(node, method, place, { ...(isClass ? { owner } : {}), parameters: parameters(node) });
}

function plain(name: Node): string {
  return name.type === 'destructor_name' ? name.text.replace('~', 'destroy') : name.text;
}

function record(node: Node, place: Place, walk: SyntaxWalk): void {
  const body = field(node, 'body');
  const name = bareType(fieldText(node, 'name'));
  if (!body || !name) {
    walk.children(node, place);
    return;
  }
  for (const item of childrenOfType(body, 'field_declaration'))
    walk.setField(name, textOf(innermost(field(item, 'declarator'))), bareType(fieldText(item, 'type')));
  const bases = childrenOfType(
    node.namedChildren.find((child) => child?.type === 'base_class_clause') ?? null,
    'type_identifier',
    'qualified_identifier',
    'template_type',
  ).map((base) => bareType(base.text) ?? '');
  walk.declareClass(node, name, place, 'class', bases);
}

function typedef(node: Node, place: Place, walk: SyntaxWalk): void {
  const type = field(node, 'type');
  const name = fieldText(node, 'declarator');
  const isAnonymousRecord = type && /^(struct|union|enum)_specifier$/.test(type.type) && !field(type, 'name');
  if (isAnonymousRecord)
    walk.declareClass(node, name, place, type.type === 'enum_specifier' ? 'enum' : 'class');
  else walk.children(node, place);
}

function include(node: Node, _place: Place, walk: SyntaxWalk): void {
  const path = field(node, 'path');
  const source = textOf(path).replace(/^["<]|[">]$/g, '');
  if (source) {
    const form = path?.type === 'system_lib_string' ? 'library' : 'relative';
    walk.collector.facts.imports.push({ source, names: [], wildcard: true, form });
  }
}

function call(node: Node, place: Place, walk: SyntaxWalk): void {
  const callee = field(node, 'function');
  if (callee?.type === 'identifier') {
    if (place.owner) walk.ownCall(callee.text, place);
    walk.plainCall(callee.text, place);
  }
  if (callee?.type === 'qualified_identifier') {
    const parts = callee.text.replace(/<[^<>]*>/g, '').split('::');
    const name = parts.pop()!;
    const owner = parts.at(-1) ?? '';
    if (/^[A-Z]/.test(owner)) walk.collector.call(place.symbol, 'typed', name, owner);
    else walk.collector.call(place.symbol, 'plain', name);
  }
  if (callee?.type === 'field_expression') {
    const object = field(callee, 'argument');
    const name = fieldText(callee, 'field');
    if (object?.type === 'this') walk.ownCall(name, place);
    else if (object?.type === 'identifier')
      walk.typedCall(name, place.locals?.get(object.text) ?? walk.fieldType(place.owner, object.text), place);
  }
}

function declaration(node: Node, place: Place, _walk: SyntaxWalk): void {
  const written = bareType(fieldText(node, 'type'));
  for (const item of node.namedChildren) {
    if (!item || !place.locals) continue;
    const value = item.type === 'init_declarator' ? field(item, 'value') : null;
    const made = value?.type === 'new_expression' ? bareType(fieldText(value, 'type')) : null;
    const name = innermost(item.type === 'init_declarator' ? field(item, 'declarator') : item);
    if (name?.type === 'identifier')
      place.locals.set(name.text, made ?? (written === 'auto' ? null : written));
  }
}

export const cGrammar: Grammar = {
  comments: ['comment'],
  scopes: {
    preproc_include: include,
    function_definition: functionDefinition,
    struct_specifier: record,
    union_specifier: record,
    class_specifier: record,
    enum_specifier: (node, place, walk) => {
      const name = bareType(fieldText(node, 'name'));
      if (name && field(node, 'body')) walk.declareClass(node, name, place, 'enum');
    },
    type_definition: typedef,
  },
  rules: {
    declaration,
    call_expression: call,
    new_expression: (node, place, walk) => walk.plainCall(bareType(fieldText(node, 'type')) ?? '', place),
  },
};
