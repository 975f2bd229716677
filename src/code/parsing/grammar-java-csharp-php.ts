import type { Node } from 'web-tree-sitter';
import type { SymbolKind } from './facts.js';
import {
  bareType,
  childOfType,
  childrenOfType,
  field,
  fieldText,
  type Grammar,
  type Place,
  type Rule,
  type SyntaxWalk,
  textOf,
} from './syntax-walk.js';

function typedParameters(list: Node | null, ...types: string[]): [string, string | null][] {
  return childrenOfType(list, ...types).map((item) => [
    fieldText(item, 'name'),
    bareType(fieldText(item, 'type')),
  ]);
}

function method(...parameterTypes: string[]): Rule {
  return (node, place, walk) =>
    walk.declareFunction(node, fieldText(node, 'name'), place, {
      parameters: typedParameters(field(node, 'parameters'), ...parameterTypes),
    });
}

function classLike(kind: SymbolKind, fields: (body: Node, owner: string, walk: SyntaxWalk) => void): Rule {
  return (node, place, walk) => {
    const name = fieldText(node, 'name');
    const body = field(node, 'body');
    const owner = place.owner && place.locals === null ? `${place.owner}.${name}` : name;
    if (body) fields(body, owner, walk);
    walk.declareClass(node, name, place, kind, basesOf(node));
  };
}

function basesOf(node: Node): string[] {
  const clause = field(node, 'superclass') ?? childOfType(node, 'base_list', 'base_clause');
  return (clause?.namedChildren ?? []).flatMap((base) => bareType(base?.text) ?? []);
}

function javaFields(body: Node, owner: string, walk: SyntaxWalk): void {
  for (const item of childrenOfType(body, 'field_declaration'))
    for (const declared of childrenOfType(item, 'variable_declarator'))
      walk.setField(owner, fieldText(declared, 'name'), bareType(fieldText(item, 'type')));
}

function javaImport(node: Node, _place: Place, walk: SyntaxWalk): void {
  const path = textOf(childOfType(node, 'scoped_identifier', 'identifier'));
  const wildcard = childOfType(node, 'asterisk') !== null;
  const isStatic = /^import\s+static\b/.test(node.text);
  const cut = path.lastIndexOf('.');
  const name = path.slice(cut + 1);
  const form = isStatic ? 'function' : 'type';
  if (wildcard) walk.collector.facts.imports.push({ source: path, names: [], wildcard: true, form });
  else
    walk.collector.facts.imports.push({
      source: path.slice(0, Math.max(cut, 0)),
      names: [[name, name]],
      form,
    });
}

function receiverCall(object: Node | null, name: string, place: Place, walk: SyntaxWalk): void {
  if (!object || object.type === 'this' || object.type === 'this_expression') walk.ownCall(name, place);
  else if (object.type === 'super' || object.type === 'base_expression') walk.baseCall(name, place);
  else if (object.type === 'object_creation_expression')
    walk.typedCall(name, bareType(fieldText(object, 'type')), place);
  else if (object.type === 'identifier') {
    const type = place.locals?.has(object.text) ? undefined : walk.fieldType(place.owner, object.text);
    if (type) walk.typedCall(name, type, place);
    else walk.namedCall(object.text, name, place);
  } else if (object.type === 'field_access' || object.type === 'member_access_expression') {
    const holder = field(object, 'object') ?? field(object, 'expression');
    const fieldName = textOf(field(object, 'field') ?? field(object, 'name'));
    if (!holder || holder.type === 'this')
      walk.typedCall(name, walk.fieldType(place.owner, fieldName), place);
  }
}

function javaCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const object = field(node, 'object');
  const name = fieldText(node, 'name');
  receiverCall(object, name, place, walk);
  if (!object) walk.plainCall(name, place);
}

function creation(node: Node, place: Place, walk: SyntaxWalk): void {
  const type = bareType(textOf(field(node, 'type') ?? node.namedChild(0)));
  if (type) walk.plainCall(type, place);
}

function localVariable(node: Node, place: Place, _walk: SyntaxWalk): void {
  const holder =
    node.type === 'local_variable_declaration' ? node : (childOfType(node, 'variable_declaration') ?? node);
  const written = bareType(fieldText(holder, 'type'));
  for (const declared of childrenOfType(holder, 'variable_declarator')) {
    const value = field(declared, 'value') ?? childOfType(declared, 'object_creation_expression');
    const made = value?.type === 'object_creation_expression' ? bareType(fieldText(value, 'type')) : null;
    place.locals?.set(fieldText(declared, 'name'), made ?? (written === 'var' ? null : written));
  }
}

export const javaGrammar: Grammar = {
  comments: ['line_comment', 'block_comment'],
  scopes: {
    package_declaration: (node, _place, walk) => {
      walk.collector.facts.scope = textOf(childOfType(node, 'scoped_identifier', 'identifier'));
    },
    import_declaration: javaImport,
    class_declaration: classLike('class', javaFields),
    record_declaration: classLike('class', javaFields),
    interface_declaration: classLike('interface', javaFields),
    annotation_type_declaration: classLike('interface', javaFields),
    enum_declaration: classLike('enum', javaFields),
    method_declaration: method('formal_parameter', 'spread_parameter'),
    constructor_declaration: method('formal_parameter', 'spread_parameter'),
    type_identifier: noteUse,
  },
  rules: {
    method_invocation: javaCall,
    object_creation_expression: creation,
    local_variable_declaration: localVariable,
  },
};

/** A wildcard import does not list its names, so the type names used in the file are recorded. */
function noteUse(node: Node, _place: Place, walk: SyntaxWalk): void {
  const { uses } = walk.collector.facts;
  if (/^[A-Z]/.test(node.text) && uses.length < 2000) uses.push(['', node.text]);
}

function csharpFields(body: Node, owner: string, walk: SyntaxWalk): void {
  for (const item of childrenOfType(body, 'field_declaration', 'property_declaration')) {
    const holder = childOfType(item, 'variable_declaration') ?? item;
    const type = bareType(fieldText(holder, 'type'));
    const names = childrenOfType(holder, 'variable_declarator');
    for (const declared of names.length > 0 ? names : [holder])
      walk.setField(owner, fieldText(declared, 'name'), type);
  }
}

function csharpUsing(node: Node, _place: Place, walk: SyntaxWalk): void {
  const alias = fieldText(node, 'name');
  const path = textOf(
    node.namedChildren.findLast((child) => child?.type === 'qualified_name' || child?.type === 'identifier'),
  );
  const cut = path.lastIndexOf('.');
  if (alias && cut > 0)
    walk.collector.facts.imports.push({ source: path.slice(0, cut), names: [[path.slice(cut + 1), alias]] });
  else walk.collector.facts.imports.push({ source: path, names: [], wildcard: true });
}

function csharpCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const callee = field(node, 'function');
  if (callee?.type === 'identifier') {
    walk.ownCall(callee.text, place);
    walk.plainCall(callee.text, place);
  }
  if (callee?.type === 'member_access_expression') {
    const object = field(callee, 'expression');
    const name = bareType(fieldText(callee, 'name')) ?? '';
    receiverCall(callee.text.startsWith('base.') ? callee : object, name, place, walk);
    if (callee.text.startsWith('base.')) walk.baseCall(name, place);
  }
}

function csharpNamespace(node: Node, _place: Place, walk: SyntaxWalk): void {
  walk.collector.facts.scope ??= fieldText(node, 'name');
}

export const csharpGrammar: Grammar = {
  comments: ['comment'],
  scopes: {
    using_directive: csharpUsing,
    class_declaration: classLike('class', csharpFields),
    struct_declaration: classLike('class', csharpFields),
    record_declaration: classLike('class', csharpFields),
    interface_declaration: classLike('interface', csharpFields),
    enum_declaration: classLike('enum', csharpFields),
    method_declaration: method('parameter'),
    constructor_declaration: method('parameter'),
    local_function_statement: method('parameter'),
    identifier: noteUse,
  },
  rules: {
    namespace_declaration: csharpNamespace,
    file_scoped_namespace_declaration: csharpNamespace,
    invocation_expression: csharpCall,
    object_creation_expression: creation,
    local_declaration_statement: localVariable,
  },
};

function phpFields(body: Node, owner: string, walk: SyntaxWalk): void {
  for (const item of childrenOfType(body, 'property_declaration'))
    for (const declared of childrenOfType(item, 'property_element'))
      walk.setField(
        owner,
        textOf(field(declared, 'name') ?? declared.namedChild(0)),
        bareType(fieldText(item, 'type')),
      );
  for (const item of childrenOfType(body, 'method_declaration'))
    for (const promoted of childrenOfType(field(item, 'parameters'), 'property_promotion_parameter'))
      walk.setField(owner, fieldText(promoted, 'name'), bareType(fieldText(promoted, 'type')));
}

function phpUse(node: Node, _place: Place, walk: SyntaxWalk): void {
  const form = /^use\s+function\b/.test(node.text) ? 'function' : 'type';
  const group = childOfType(node, 'namespace_use_group');
  const prefix = group ? `${textOf(childOfType(node, 'namespace_name'))}\\` : '';
  for (const clause of childrenOfType(group ?? node, 'namespace_use_clause', 'namespace_use_group_clause')) {
    const path = prefix + textOf(childOfType(clause, 'qualified_name', 'namespace_name', 'name'));
    const cut = path.lastIndexOf('\\');
    const name = path.slice(cut + 1);
    const alias = fieldText(clause, 'alias') || name;
    walk.collector.facts.imports.push({
      source: path.slice(0, Math.max(cut, 0)),
      names: [[name, alias]],
      form,
    });
  }
}

function phpInclude(node: Node, _place: Place, walk: SyntaxWalk): void {
  const literal = /(['"])([^'"]+)\1\s*\)?$/.exec(node.text);
  if (literal)
    walk.collector.facts.imports.push({
      source: literal[2]!.replace(/^\//, ''),
      names: [],
      wildcard: true,
      form: 'relative',
    });
}

function phpMemberCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const object = field(node, 'object');
  const name = fieldText(node, 'name');
  if (object?.text === '$this') walk.ownCall(name, place);
  else if (object?.type === 'variable_name') walk.typedCall(name, place.locals?.get(object.text), place);
  else if (object?.type === 'member_access_expression' && fieldText(object, 'object') === '$this')
    walk.typedCall(name, walk.fieldType(place.owner, `$${fieldText(object, 'name')}`), place);
}

function phpScopedCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const scope = fieldText(node, 'scope');
  const name = fieldText(node, 'name');
  if (scope === 'self' || scope === 'static') walk.ownCall(name, place);
  else if (scope === 'parent') walk.baseCall(name, place);
  else walk.typedCall(name, bareType(scope), place);
}

function phpAssignment(node: Node, place: Place, walk: SyntaxWalk): void {
  const left = field(node, 'left');
  const right = field(node, 'right');
  const type = right?.type === 'object_creation_expression' ? bareType(textOf(right.namedChild(0))) : null;
  if (left?.type === 'variable_name') place.locals?.set(left.text, type);
  if (left?.type === 'member_access_expression' && fieldText(left, 'object') === '$this')
    walk.setField(place.owner, `$${fieldText(left, 'name')}`, type);
}

export const phpGrammar: Grammar = {
  comments: ['comment'],
  scopes: {
    namespace_use_declaration: phpUse,
    class_declaration: classLike('class', phpFields),
    trait_declaration: classLike('class', phpFields),
    enum_declaration: classLike('enum', phpFields),
    interface_declaration: classLike('interface', phpFields),
    method_declaration: method('simple_parameter', 'property_promotion_parameter'),
    function_definition: method('simple_parameter'),
  },
  rules: {
    namespace_definition: (node, _place, walk) => {
      walk.collector.facts.scope ??= fieldText(node, 'name');
    },
    require_expression: phpInclude,
    require_once_expression: phpInclude,
    include_expression: phpInclude,
    include_once_expression: phpInclude,
    member_call_expression: phpMemberCall,
    nullsafe_member_call_expression: phpMemberCall,
    scoped_call_expression: phpScopedCall,
    object_creation_expression: creation,
    assignment_expression: phpAssignment,
    function_call_expression: (node, place, walk) => {
      const callee = field(node, 'function');
      if (callee?.type === 'name' || callee?.type === 'qualified_name')
        walk.plainCall(bareType(callee.text) ?? '', place);
    },
  },
};
