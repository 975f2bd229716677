import type { Node } from 'web-tree-sitter';
import type { ImportFact, TypeFact } from './facts.js';
import {
  bareType,
  childOfType,
  childrenOfType,
  field,
  fieldText,
  type Grammar,
  type Place,
  type SyntaxWalk,
  textOf,
} from './syntax-walk.js';

function goImport(node: Node, _place: Place, walk: SyntaxWalk): void {
  const source = fieldText(node, 'path').replace(/^["`]|["`]$/g, '');
  const alias = fieldText(node, 'name');
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

/** Returns the type as written, such as `DB` or `store.DB`. */
function goTypeName(node: Node | null): string | null {
  switch (node?.type) {
    case 'pointer_type':
    case 'parenthesized_type':
      return goTypeName(node.namedChild(0));
    case 'generic_type':
      return goTypeName(field(node, 'type'));
    case 'type_identifier':
    case 'qualified_type':
      return node.text;
    default:
      return null;
  }
}

function goParameters(list: Node | null): [string, string | null][] {
  return childrenOfType(list, 'parameter_declaration', 'variadic_parameter_declaration').flatMap((item) => {
    const type = item.type === 'parameter_declaration' ? goTypeName(field(item, 'type')) : null;
    return childrenOfType(item, 'identifier').map((name): [string, string | null] => [name.text, type]);
  });
}

/** Returns the type of the first result, because the second one is usually an error. */
function goResultType(node: Node): string | null {
  const result = field(node, 'result');
  if (result?.type !== 'parameter_list') return goTypeName(result);
  const [first] = childrenOfType(result, 'parameter_declaration');
  return first ? goTypeName(field(first, 'type')) : null;
}

function goValueType(node: Node | null, place: Place): TypeFact | null {
  const value = node?.type === 'unary_expression' ? field(node, 'operand') : node;
  if (value?.type === 'composite_literal') return goTypeName(field(value, 'type'));
  const callee = value?.type === 'call_expression' ? field(value, 'function') : null;
  const answering = callee ? goCalleeType(callee, place) : null;
  return answering && ['result', answering];
}

function goCalleeType(callee: Node, place: Place): TypeFact | null {
  if (callee.type === 'identifier') return place.locals?.has(callee.text) ? null : ['value', callee.text];
  if (callee.type !== 'selector_expression') return null;
  const operand = field(callee, 'operand');
  if (operand?.type !== 'identifier') return null;
  const holder = place.locals?.has(operand.text)
    ? place.locals.get(operand.text)
    : (['value', operand.text] as const);
  return holder ? ['member', holder as TypeFact, fieldText(callee, 'field')] : null;
}

function goDeclaredNames(node: Node, place: Place, _walk: SyntaxWalk): void {
  const names = field(node, 'left')?.namedChildren ?? childrenOfType(node, 'identifier');
  const values = (field(node, 'right') ?? field(node, 'value'))?.namedChildren ?? [];
  const written = goTypeName(field(node, 'type'));
  names.forEach((name, position) => {
    if (name?.type === 'identifier')
      place.locals?.set(name.text, written ?? goValueType(values[position] ?? null, place));
  });
}

function goCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const callee = field(node, 'function');
  if (callee?.type === 'identifier') walk.plainCall(callee.text, place);
  if (callee?.type === 'selector_expression') {
    const operand = field(callee, 'operand');
    const name = fieldText(callee, 'field');
    if (operand?.type === 'identifier') walk.namedCall(operand.text, name, place);
    else if (operand?.type === 'selector_expression') {
      const holder = place.locals?.get(fieldText(operand, 'operand'));
      walk.fieldCall(holder, fieldText(operand, 'field'), name, place);
    }
  }
}

function goSelector(node: Node, place: Place, walk: SyntaxWalk): void {
  const operand = field(node, 'operand') ?? field(node, 'package');
  const name = textOf(field(node, 'field') ?? field(node, 'name'));
  if (
    (operand?.type === 'identifier' || operand?.type === 'package_identifier') &&
    !place.locals?.has(operand.text)
  )
    walk.collector.facts.uses.push([operand.text, name]);
}

function goType(node: Node, place: Place, walk: SyntaxWalk): void {
  const name = fieldText(node, 'name');
  const type = field(node, 'type');
  const kind =
    type?.type === 'struct_type' ? 'class' : type?.type === 'interface_type' ? 'interface' : 'type';
  if (type?.type === 'struct_type') {
    for (const item of childrenOfType(childOfType(type, 'field_declaration_list'), 'field_declaration'))
      for (const fieldName of childrenOfType(item, 'field_identifier'))
        walk.setField(name, fieldName.text, goTypeName(field(item, 'type')));
  }
  walk.declareClass(node, name, place, kind);
}

export const goGrammar: Grammar = {
  comments: ['comment'],
  tellsTypes: true,
  scopes: {
    package_clause: (node, _place, walk) => {
      walk.collector.facts.scope = textOf(node.namedChild(0));
    },
    import_spec: goImport,
    type_spec: goType,
    type_alias: goType,
    function_declaration: (node, place, walk) =>
      walk.declareFunction(node, fieldText(node, 'name'), place, {
        parameters: goParameters(field(node, 'parameters')),
        answer: goResultType(node),
      }),
    method_declaration: (node, place, walk) => {
      const receiver = goParameters(field(node, 'receiver'));
      const type = field(node, 'receiver')?.namedChild(0);
      const owner = bareType(textOf(type ? field(type, 'type') : null)) ?? '';
      walk.declareFunction(node, fieldText(node, 'name'), place, {
        owner,
        parameters: [...receiver, ...goParameters(field(node, 'parameters'))],
        answer: goResultType(node),
      });
    },
  },
  rules: {
    short_var_declaration: goDeclaredNames,
    var_spec: goDeclaredNames,
    call_expression: goCall,
    selector_expression: goSelector,
    qualified_type: goSelector,
  },
};

/** Splits `a::{b, c as d, e::*}` into one import per path. */
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
    const path = join(fieldText(node, 'path'));
    for (const item of field(node, 'list')?.namedChildren ?? [])
      if (item) rustUse(item, path, isPublic, walk);
  } else if (node.type === 'use_list') {
    for (const item of node.namedChildren) if (item) rustUse(item, prefix, isPublic, walk);
  } else if (node.type === 'use_as_clause') add(join(fieldText(node, 'path')), fieldText(node, 'alias'));
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
  const name = fieldText(node, 'name');
  walk.collector.facts.imports.push({ source: name, names: [], namespace: name, form: 'module' });
}

/** Returns a type with its path, without pointers and references. */
function rustTypeName(node: Node | null): string | null {
  switch (node?.type) {
    case 'reference_type':
      return rustTypeName(field(node, 'type'));
    case 'dynamic_type':
      return rustTypeName(field(node, 'trait'));
    case 'generic_type': {
      const outer = rustTypeName(field(node, 'type'));
      const isPointer = outer !== null && /^(Box|Rc|Arc)$/.test(outer);
      return isPointer ? rustTypeName(field(node, 'type_arguments')?.namedChild(0) ?? null) : outer;
    }
    case 'type_identifier':
    case 'scoped_type_identifier':
      return node.text;
    default:
      return null;
  }
}

function rustParameters(node: Node): [string, string | null][] {
  return childrenOfType(field(node, 'parameters'), 'parameter').map((item) => [
    fieldText(item, 'pattern'),
    rustTypeName(field(item, 'type')),
  ]);
}

function rustCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const callee = field(node, 'function');
  if (callee?.type === 'identifier') walk.plainCall(callee.text, place);
  if (callee?.type === 'scoped_identifier') {
    rustPathCall(fieldText(callee, 'path'), fieldText(callee, 'name'), place, walk);
  }
  if (callee?.type === 'field_expression') {
    const value = field(callee, 'value');
    const name = fieldText(callee, 'field');
    if (value?.type === 'self') walk.ownCall(name, place);
    else if (value?.type === 'identifier' && place.locals?.get(value.text))
      walk.namedCall(value.text, name, place);
    else if (value?.type === 'field_expression' && field(value, 'value')?.type === 'self')
      walk.fieldCall(place.owner, fieldText(value, 'field'), name, place);
  }
}

function rustPathCall(path: string, name: string, place: Place, walk: SyntaxWalk): void {
  if (path === 'Self') walk.ownCall(name, place);
  else walk.collector.call(place.symbol, 'member', name, path);
}

/** Macro arguments are plain tokens, so a word before an opening bracket counts as a call. */
function rustTokens(tree: Node, place: Place, walk: SyntaxWalk): void {
  const tokens = tree.children.filter((child): child is Node => child !== null);
  tokens.forEach((token, at) => {
    if (token.type === 'token_tree') rustTokens(token, place, walk);
    else if (token.type !== 'identifier') walk.visit(token, place);
    else if (tokens[at + 1]?.type === 'token_tree' && tokens[at + 1]!.child(0)?.type === '(')
      rustTokenCall(tokens, at, place, walk);
  });
}

function rustTokenCall(tokens: readonly Node[], at: number, place: Place, walk: SyntaxWalk): void {
  const name = tokens[at]!.text;
  const text = (back: number) => {
    const token = tokens[at - back];
    return token && token.type !== 'token_tree' ? token.text : '';
  };
  if (text(1) === '::') {
    let start = at - 2;
    while (tokens[start - 1]?.type === '::') start -= 2;
    const path = tokens.slice(Math.max(start, 0), at - 1);
    if (path.every(({ type }) => type !== 'token_tree'))
      rustPathCall(path.map((part) => part.text).join(''), name, place, walk);
  } else if (text(1) === '.') {
    const isWhole = text(3) !== '.' && text(3) !== '::';
    if (text(2) === 'self' && isWhole) walk.ownCall(name, place);
    else if (isWhole && place.locals?.get(text(2))) walk.namedCall(text(2), name, place);
    else if (text(3) === '.' && text(4) === 'self' && text(5) !== '.')
      walk.fieldCall(place.owner, text(2), name, place);
  } else if (text(1) !== 'fn') walk.plainCall(name, place);
}

function rustConstructed(node: Node | null): string | null {
  if (node?.type === 'struct_expression') return bareType(fieldText(node, 'name'));
  const callee = node?.type === 'call_expression' ? field(node, 'function') : null;
  const path = callee?.type === 'scoped_identifier' ? bareType(fieldText(callee, 'path')) : null;
  return path && /^(new|default|from|with_\w+)$/.test(fieldText(callee!, 'name')) ? path : null;
}

export const rustGrammar: Grammar = {
  comments: ['line_comment', 'block_comment'],
  tellsTypes: true,
  scopes: {
    mod_item: rustMod,
    use_declaration: (node, _place, walk) => {
      const argument = field(node, 'argument');
      if (argument) rustUse(argument, '', childOfType(node, 'visibility_modifier') !== null, walk);
    },
    struct_item: (node, place, walk) => {
      const name = fieldText(node, 'name');
      for (const item of childrenOfType(field(node, 'body'), 'field_declaration'))
        walk.setField(name, fieldText(item, 'name'), rustTypeName(field(item, 'type')));
      walk.declareClass(node, name, place);
    },
    union_item: (node, place, walk) => walk.declareClass(node, fieldText(node, 'name'), place),
    enum_item: (node, place, walk) => walk.declareClass(node, fieldText(node, 'name'), place, 'enum'),
    trait_item: (node, place, walk) => walk.declareClass(node, fieldText(node, 'name'), place, 'interface'),
    type_item: (node, place, walk) => {
      if (!place.owner) walk.declareClass(node, fieldText(node, 'name'), place, 'type');
    },
    impl_item: (node, place, walk) => {
      const owner = bareType(fieldText(node, 'type')) ?? '';
      const body = field(node, 'body');
      if (body) walk.children(body, { ...place, owner });
    },
    function_item: (node, place, walk) =>
      walk.declareFunction(node, fieldText(node, 'name'), place, { parameters: rustParameters(node) }),
    macro_invocation: (node, place, walk) => {
      for (const tree of childrenOfType(node, 'token_tree')) rustTokens(tree, place, walk);
    },
    macro_definition: () => {},
  },
  rules: {
    let_declaration: (node, place, _walk) => {
      const name = fieldText(node, 'pattern');
      place.locals?.set(name, rustTypeName(field(node, 'type')) ?? rustConstructed(field(node, 'value')));
    },
    call_expression: rustCall,
  },
};
