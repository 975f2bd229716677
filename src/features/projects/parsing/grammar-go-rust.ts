import type { Node } from 'web-tree-sitter';
import type { ImportFact } from './facts.js';
import {
  bareType,
  childOfType,
  childrenOfType,
  field,
  type Grammar,
  type Place,
  type SyntaxWalk,
  textOf,
} from './syntax-walk.js';

function goImport(node: Node, _place: Place, walk: SyntaxWalk): void {
  const source = textOf(field(node, 'path')).replace(/^["`]|["`]$/g, '');
  const alias = textOf(field(node, 'name'));
  const last =
    source
      .replace(/\/v\d+$/, '')
      .split('/')
      .at(-1) ?? '';
  const fact: ImportFact = { source, names: [] };
  if (alias === '.') fact.wildcard = true;
  else if (alias !== '_') fact.namespace = alias || last;
  walk.collector.facts.imports.push(fact);
}

function goParameters(list: Node | null): [string, string | null][] {
  return childrenOfType(list, 'parameter_declaration', 'variadic_parameter_declaration').flatMap((item) => {
    const type = bareType(textOf(field(item, 'type')));
    return childrenOfType(item, 'identifier').map((name): [string, string | null] => [name.text, type]);
  });
}

function goLiteralType(node: Node | null): string | null {
  const value = node?.type === 'unary_expression' ? field(node, 'operand') : node;
  return value?.type === 'composite_literal' ? bareType(textOf(field(value, 'type'))) : null;
}

function goDeclaredNames(node: Node, place: Place, walk: SyntaxWalk): void {
  const names = field(node, 'left')?.namedChildren ?? childrenOfType(node, 'identifier');
  const values = (field(node, 'right') ?? field(node, 'value'))?.namedChildren ?? [];
  const written = bareType(textOf(field(node, 'type')));
  names.forEach((name, position) => {
    if (name?.type === 'identifier')
      place.locals?.set(name.text, written ?? goLiteralType(values[position] ?? null));
  });
  walk.children(node, place);
}

function goCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const callee = field(node, 'function');
  if (callee?.type === 'identifier') walk.plainCall(callee.text, place);
  if (callee?.type === 'selector_expression') {
    const operand = field(callee, 'operand');
    const name = textOf(field(callee, 'field'));
    if (operand?.type === 'identifier') walk.namedCall(operand.text, name, place);
    else if (operand?.type === 'selector_expression') {
      const holder = place.locals?.get(textOf(field(operand, 'operand')));
      if (holder) walk.typedCall(name, walk.fieldType(holder, textOf(field(operand, 'field'))), place);
    }
  }
  walk.children(node, place);
}

function goSelector(node: Node, place: Place, walk: SyntaxWalk): void {
  const operand = field(node, 'operand') ?? field(node, 'package');
  const name = textOf(field(node, 'field') ?? field(node, 'name'));
  if (
    (operand?.type === 'identifier' || operand?.type === 'package_identifier') &&
    !place.locals?.has(operand.text)
  )
    walk.collector.facts.uses.push([operand.text, name]);
  walk.children(node, place);
}

function goType(node: Node, place: Place, walk: SyntaxWalk): void {
  const name = textOf(field(node, 'name'));
  const type = field(node, 'type');
  const kind =
    type?.type === 'struct_type' ? 'class' : type?.type === 'interface_type' ? 'interface' : 'type';
  if (type?.type === 'struct_type') {
    for (const item of childrenOfType(childOfType(type, 'field_declaration_list'), 'field_declaration'))
      for (const fieldName of childrenOfType(item, 'field_identifier'))
        walk.setField(name, fieldName.text, bareType(textOf(field(item, 'type'))));
  }
  walk.declareClass(node, name, place, kind);
}

export const goGrammar: Grammar = {
  comments: ['comment'],
  rules: {
    package_clause: (node, _place, walk) => {
      walk.collector.facts.scope = textOf(node.namedChild(0));
    },
    import_spec: goImport,
    type_spec: goType,
    type_alias: goType,
    function_declaration: (node, place, walk) =>
      walk.declareFunction(node, textOf(field(node, 'name')), place, {
        parameters: goParameters(field(node, 'parameters')),
      }),
    method_declaration: (node, place, walk) => {
      const receiver = goParameters(field(node, 'receiver'));
      const type = field(node, 'receiver')?.namedChild(0);
      const owner = bareType(textOf(type ? field(type, 'type') : null)) ?? '';
      walk.declareFunction(node, textOf(field(node, 'name')), place, {
        owner,
        parameters: [...receiver, ...goParameters(field(node, 'parameters'))],
      });
    },
    short_var_declaration: goDeclaredNames,
    var_spec: goDeclaredNames,
    call_expression: goCall,
    selector_expression: goSelector,
    qualified_type: goSelector,
  },
};

/** `a::{b, c as d, e::*}` unrolled into one import for each path. */
function rustUse(node: Node, prefix: string, isPublic: boolean, walk: SyntaxWalk): void {
  const join = (path: string) => (prefix ? `${prefix}::${path}` : path);
  const add = (path: string, alias?: string) => {
    const cut = path.lastIndexOf('::');
    const name = cut < 0 ? path : path.slice(cut + 2);
    const fact: ImportFact = { source: cut < 0 ? '' : path.slice(0, cut), names: [[name, alias ?? name]] };
    if (name === 'self') {
      const whole = fact.source;
      const at = whole.lastIndexOf('::');
      fact.source = at < 0 ? '' : whole.slice(0, at);
      fact.names = [[whole.slice(at < 0 ? 0 : at + 2), alias ?? whole.slice(at < 0 ? 0 : at + 2)]];
    }
    if (isPublic) fact.reexports = fact.names.map(([imported, local]) => [imported, local]);
    walk.collector.facts.imports.push(fact);
  };
  if (node.type === 'scoped_use_list') {
    const path = join(textOf(field(node, 'path')));
    for (const item of field(node, 'list')?.namedChildren ?? [])
      if (item) rustUse(item, path, isPublic, walk);
  } else if (node.type === 'use_list') {
    for (const item of node.namedChildren) if (item) rustUse(item, prefix, isPublic, walk);
  } else if (node.type === 'use_as_clause')
    add(join(textOf(field(node, 'path'))), textOf(field(node, 'alias')));
  else if (node.type === 'use_wildcard') {
    const fact: ImportFact = { source: join(textOf(node.namedChild(0))), names: [], wildcard: true };
    if (isPublic) fact.reexportsAll = true;
    walk.collector.facts.imports.push(fact);
  } else add(join(node.text));
}

function rustMod(node: Node, place: Place, walk: SyntaxWalk): void {
  if (field(node, 'body')) {
    walk.children(node, place);
    return;
  }
  const name = textOf(field(node, 'name'));
  walk.collector.facts.imports.push({ source: name, names: [], namespace: name, form: 'module' });
}

function rustParameters(node: Node): [string, string | null][] {
  return childrenOfType(field(node, 'parameters'), 'parameter').map((item) => [
    textOf(field(item, 'pattern')),
    bareType(textOf(field(item, 'type'))),
  ]);
}

function rustCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const callee = field(node, 'function');
  if (callee?.type === 'identifier') walk.plainCall(callee.text, place);
  if (callee?.type === 'scoped_identifier') {
    const path = textOf(field(callee, 'path'));
    const name = textOf(field(callee, 'name'));
    if (path === 'Self') walk.ownCall(name, place);
    else walk.collector.call(place.symbol, 'member', name, path);
  }
  if (callee?.type === 'field_expression') {
    const value = field(callee, 'value');
    const name = textOf(field(callee, 'field'));
    if (value?.type === 'self') walk.ownCall(name, place);
    else if (value?.type === 'identifier' && place.locals?.get(value.text))
      walk.namedCall(value.text, name, place);
    else if (value?.type === 'field_expression' && field(value, 'value')?.type === 'self')
      walk.typedCall(name, walk.fieldType(place.owner, textOf(field(value, 'field'))), place);
  }
  walk.children(node, place);
}

function rustConstructed(node: Node | null): string | null {
  if (node?.type === 'struct_expression') return bareType(textOf(field(node, 'name')));
  const callee = node?.type === 'call_expression' ? field(node, 'function') : null;
  const path = callee?.type === 'scoped_identifier' ? bareType(textOf(field(callee, 'path'))) : null;
  return path && /^(new|default|from|with_\w+)$/.test(textOf(field(callee!, 'name'))) ? path : null;
}

export const rustGrammar: Grammar = {
  comments: ['line_comment', 'block_comment'],
  rules: {
    mod_item: rustMod,
    use_declaration: (node, _place, walk) => {
      const argument = field(node, 'argument');
      if (argument) rustUse(argument, '', childOfType(node, 'visibility_modifier') !== null, walk);
    },
    struct_item: (node, place, walk) => {
      const name = textOf(field(node, 'name'));
      for (const item of childrenOfType(field(node, 'body'), 'field_declaration'))
        walk.setField(name, textOf(field(item, 'name')), bareType(textOf(field(item, 'type'))));
      walk.declareClass(node, name, place);
    },
    union_item: (node, place, walk) => walk.declareClass(node, textOf(field(node, 'name')), place),
    enum_item: (node, place, walk) => walk.declareClass(node, textOf(field(node, 'name')), place, 'enum'),
    trait_item: (node, place, walk) =>
      walk.declareClass(node, textOf(field(node, 'name')), place, 'interface'),
    type_item: (node, place, walk) => {
      if (!place.owner) walk.declareClass(node, textOf(field(node, 'name')), place, 'type');
    },
    impl_item: (node, place, walk) => {
      const owner = bareType(textOf(field(node, 'type'))) ?? '';
      const body = field(node, 'body');
      if (body) walk.children(body, { ...place, owner });
    },
    function_item: (node, place, walk) =>
      walk.declareFunction(node, textOf(field(node, 'name')), place, { parameters: rustParameters(node) }),
    let_declaration: (node, place, walk) => {
      const name = textOf(field(node, 'pattern'));
      place.locals?.set(name, bareType(textOf(field(node, 'type'))) ?? rustConstructed(field(node, 'value')));
      walk.children(node, place);
    },
    call_expression: rustCall,
  },
};
