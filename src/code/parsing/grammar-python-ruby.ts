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

function pythonImport(node: Node, _place: Place, walk: SyntaxWalk): void {
  for (const item of node.namedChildren) {
    if (item?.type === 'dotted_name')
      walk.collector.facts.imports.push({ source: item.text, names: [], namespace: item.text });
    if (item?.type === 'aliased_import') {
      const source = fieldText(item, 'name');
      walk.collector.facts.imports.push({ source, names: [], namespace: fieldText(item, 'alias') });
    }
  }
}

function pythonFrom(node: Node, _place: Place, walk: SyntaxWalk): void {
  const module = field(node, 'module_name');
  const fact: ImportFact = { source: textOf(module).replace(/\s/g, ''), names: [] };
  for (const item of node.namedChildren) {
    if (!item || item.id === module?.id) continue;
    if (item.type === 'dotted_name') fact.names.push([item.text, item.text]);
    else if (item.type === 'aliased_import')
      fact.names.push([fieldText(item, 'name'), fieldText(item, 'alias')]);
    else if (item.type === 'wildcard_import') fact.wildcard = true;
  }
  walk.collector.facts.imports.push(fact);
}

function pythonType(annotation: string): string | null {
  const text = annotation.trim().replace(/^(["'])(.*)\1$/s, '$2');
  const optional = /^(?:typing\.)?Optional\[(.*)\]$/s.exec(text);
  if (optional) return pythonType(optional[1]!);
  const choices = text.split('|').filter((choice) => choice.trim() !== 'None');
  if (choices.length > 1 || choices[0] === undefined) return null;
  const name = choices[0].replace(/\[.*$/s, '').trim();
  return /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u.test(name) ? name : null;
}

function pythonParameters(node: Node): [string, string | null][] {
  return (field(node, 'parameters')?.namedChildren ?? []).flatMap((item): [string, string | null][] => {
    if (!item) return [];
    if (item.type === 'identifier') return [[item.text, null]];
    const name = field(item, 'name') ?? childOfType(item, 'identifier');
    return name ? [[name.text, pythonType(fieldText(item, 'type'))]] : [];
  });
}

/** Returns the type of an assigned class instance, function result or local. */
function pythonValueType(node: Node | null, place: Place): TypeFact | null {
  const made = calledClass(node);
  if (made) return made;
  if (node?.type === 'identifier') return place.locals?.get(node.text) ?? null;
  const callee = node?.type === 'call' ? field(node, 'function') : null;
  const isOwn = callee?.type === 'identifier' && !place.locals?.has(callee.text);
  return isOwn ? ['result', ['value', callee.text]] : null;
}

function calledClass(node: Node | null): string | null {
  const callee = node?.type === 'call' ? field(node, 'function') : null;
  return callee?.type === 'identifier' && /^[A-Z]/.test(callee.text) ? callee.text : null;
}

function pythonAssignment(node: Node, place: Place, walk: SyntaxWalk): void {
  const left = field(node, 'left');
  const type = pythonType(fieldText(node, 'type')) ?? pythonValueType(field(node, 'right'), place);
  if (left?.type === 'identifier' && place.locals) place.locals.set(left.text, type);
  else if (left?.type === 'identifier') walk.setField(place.owner, left.text, type);
  if (left?.type === 'attribute' && fieldText(left, 'object') === 'self')
    walk.setField(place.owner, fieldText(left, 'attribute'), type);
}

function pythonAttributeCall(object: Node, name: string, place: Place, walk: SyntaxWalk): void {
  const holder = fieldText(object, 'object');
  const attribute = fieldText(object, 'attribute');
  if (holder === 'self') walk.fieldCall(place.owner, attribute, name, place);
  else if (place.locals?.has(holder)) walk.fieldCall(place.locals.get(holder), attribute, name, place);
  else if (!place.locals?.has(holder.split('.')[0]!)) walk.namedCall(object.text, name, place);
}

function pythonCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const callee = field(node, 'function');
  if (callee?.type === 'identifier') walk.plainCall(callee.text, place);
  if (callee?.type === 'attribute') {
    const object = field(callee, 'object');
    const name = fieldText(callee, 'attribute');
    if (object?.type === 'identifier' && (object.text === 'self' || object.text === 'cls'))
      walk.ownCall(name, place);
    else if (object?.type === 'call' && fieldText(object, 'function') === 'super') walk.baseCall(name, place);
    else if (object?.type === 'call') walk.typedCall(name, calledClass(object), place);
    else if (object?.type === 'attribute') pythonAttributeCall(object, name, place, walk);
    else if (object) walk.namedCall(object.text, name, place);
  }
}

export const pythonGrammar: Grammar = {
  comments: ['comment'],
  tellsTypes: true,
  scopes: {
    import_statement: pythonImport,
    import_from_statement: pythonFrom,
    class_definition: (node, place, walk) => {
      const bases = childrenOfType(field(node, 'superclasses'), 'identifier', 'attribute').map(
        (base) => base.text,
      );
      walk.declareClass(node, fieldText(node, 'name'), place, 'class', bases);
    },
    function_definition: (node, place, walk) =>
      walk.declareFunction(node, fieldText(node, 'name'), place, {
        parameters: pythonParameters(node),
        answer: pythonType(fieldText(node, 'return_type')),
      }),
  },
  rules: {
    assignment: pythonAssignment,
    call: pythonCall,
  },
};

function rubyCall(node: Node, place: Place, walk: SyntaxWalk): void {
  const receiver = field(node, 'receiver');
  const name = fieldText(node, 'method');
  const literal = childOfType(field(node, 'arguments') ?? node, 'string');
  if (!receiver && (name === 'require' || name === 'require_relative') && literal) {
    const source = textOf(childOfType(literal, 'string_content'));
    if (source)
      walk.collector.facts.imports.push({
        source,
        names: [],
        wildcard: true,
        form: name === 'require' ? 'library' : 'relative',
      });
  } else if (!receiver) rubyOwnCall(name, place, walk);
  else if (receiver.type === 'self') walk.ownCall(name, place);
  else if (receiver.type === 'constant' || receiver.type === 'scope_resolution')
    rubyConstantCall(bareType(receiver.text) ?? '', name, place, walk);
  else if (receiver.type === 'call' && fieldText(receiver, 'method') === 'new')
    walk.typedCall(name, bareType(fieldText(receiver, 'receiver')), place);
  else if (receiver.type === 'identifier' && place.locals?.get(receiver.text))
    walk.namedCall(receiver.text, name, place);
  else if (receiver.type === 'instance_variable')
    walk.typedCall(name, walk.fieldType(place.owner, receiver.text), place);
}

function rubyOwnCall(name: string, place: Place, walk: SyntaxWalk): void {
  walk.ownCall(name, place);
  walk.plainCall(name, place);
}

/** In Ruby, a bare name that is not a local is a call. */
function rubyBody(node: Node, place: Place, walk: SyntaxWalk): void {
  for (const child of node.namedChildren) {
    if (!child) continue;
    if (child.type !== 'identifier') walk.visit(child, place);
    else if (place.locals && !place.locals.has(child.text)) rubyOwnCall(child.text, place, walk);
  }
}

function rubyConstantCall(constant: string, name: string, place: Place, walk: SyntaxWalk): void {
  if (name === 'new') walk.plainCall(constant, place);
  else walk.namedCall(constant, name, place);
}

function rubyAssignment(node: Node, place: Place, walk: SyntaxWalk): void {
  const left = field(node, 'left');
  const right = field(node, 'right');
  const isNew = right?.type === 'call' && fieldText(right, 'method') === 'new';
  const type = isNew ? bareType(fieldText(right, 'receiver')) : null;
  if (left?.type === 'identifier') place.locals?.set(left.text, type);
  if (left?.type === 'instance_variable') walk.setField(place.owner, left.text, type);
}

function rubyMethod(node: Node, place: Place, walk: SyntaxWalk): void {
  const parameters = (field(node, 'parameters')?.namedChildren ?? []).flatMap((item): [string, null][] =>
    item ? [[textOf(field(item, 'name') ?? item), null]] : [],
  );
  walk.declareFunction(node, fieldText(node, 'name'), place, { parameters });
}

function rubyModule(node: Node, place: Place, walk: SyntaxWalk): void {
  const body = childOfType(node, 'body_statement');
  const holdsMethods = childrenOfType(body, 'method', 'singleton_method').length > 0;
  if (!holdsMethods) {
    walk.children(node, place);
    return;
  }
  const name = bareType(fieldText(node, 'name')) ?? '';
  const symbol = walk.collector.declare(name, 'class', node.startIndex, node.endIndex);
  for (const child of body!.namedChildren) {
    if (!child) continue;
    const isMethod = child.type === 'method' || child.type === 'singleton_method';
    walk.visit(child, isMethod || symbol < 0 ? { symbol, owner: name, locals: null } : { ...place, symbol });
  }
}

export const rubyGrammar: Grammar = {
  comments: ['comment'],
  scopes: {
    module: rubyModule,
    class: (node, place, walk) => {
      const base = bareType(fieldText(node, 'superclass').replace('<', ''));
      walk.declareClass(node, bareType(fieldText(node, 'name')) ?? '', place, 'class', base ? [base] : []);
    },
    method: rubyMethod,
    singleton_method: rubyMethod,
    body_statement: rubyBody,
  },
  rules: {
    call: rubyCall,
    assignment: rubyAssignment,
  },
};
