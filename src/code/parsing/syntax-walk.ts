import type { Node } from 'web-tree-sitter';
import type { FileFacts, SymbolKind, TypeFact } from './facts.js';
import type { SymbolCollector } from './tokens.js';

/** The surrounding symbol and class, and the known locals. */
export interface Place {
  symbol: number;
  owner: string;
  /** Null as a type marks a local of unknown type. */
  locals: Map<string, TypeFact | null> | null;
}

export type Rule = (node: Node, place: Place, walk: SyntaxWalk) => void;

export type Parameters = [name: string, type: TypeFact | null][];

export interface Grammar {
  comments: readonly string[];
  /** Whether the types of this language help to link other files. */
  tellsTypes?: boolean;
  /** Rules that run before the children of a node are visited. */
  rules: Readonly<Record<string, Rule>>;
  /** Rules that run instead of visiting the children. They visit the children themselves or skip them. */
  scopes: Readonly<Record<string, Rule>>;
}

export class SyntaxWalk {
  readonly commentSpans: { start: number; end: number }[] = [];
  readonly #fields = new Map<string, Map<string, TypeFact>>();
  readonly #answers = new Map<string, TypeFact>();
  readonly #comments: ReadonlySet<string>;

  constructor(
    readonly grammar: Grammar,
    readonly collector: SymbolCollector,
  ) {
    this.#comments = new Set(grammar.comments);
  }

  visit(node: Node, place: Place): void {
    if (this.#comments.has(node.type)) {
      this.commentSpans.push({ start: node.startIndex, end: node.endIndex });
      return;
    }
    const scope = this.grammar.scopes[node.type];
    if (scope) {
      scope(node, place, this);
      return;
    }
    this.grammar.rules[node.type]?.(node, place, this);
    this.children(node, place);
  }

  children(node: Node, place: Place): void {
    for (const child of node.namedChildren) if (child) this.visit(child, place);
  }

  /** A nested class includes the outer name in its own. Namespaces add nothing. */
  declareClass(
    node: Node,
    name: string,
    place: Place,
    kind: SymbolKind = 'class',
    bases: string[] = [],
  ): void {
    const dotted = place.owner && place.locals === null ? `${place.owner}.${name}` : name;
    const symbol =
      place.locals === null
        ? this.collector.declare(dotted, kind, node.startIndex, node.endIndex, bases)
        : -1;
    this.children(node, { symbol: symbol < 0 ? place.symbol : symbol, owner: dotted, locals: null });
  }

  /** Declares a method when there is an owner. Nested functions belong to the outer function. */
  declareFunction(
    node: Node,
    name: string,
    place: Place,
    options: { owner?: string; parameters?: Parameters; answer?: TypeFact | null } = {},
  ): void {
    const owner = options.owner ?? place.owner;
    const nested = place.locals !== null;
    const dotted = owner ? `${owner}.${name}` : name;
    const symbol = nested
      ? -1
      : this.collector.declare(dotted, owner ? 'method' : 'function', node.startIndex, node.endIndex);
    if (symbol >= 0 && options.answer) this.#answers.set(dotted, options.answer);
    const locals = new Map(place.locals ?? []);
    for (const [parameter, type] of options.parameters ?? []) locals.set(parameter, type);
    if (nested) place.locals!.set(name, null);
    this.children(node, { symbol: symbol < 0 ? place.symbol : symbol, owner, locals });
  }

  setField(owner: string, name: string, type: TypeFact | null): void {
    if (!owner || !type) return;
    const fields = this.#fields.get(owner) ?? new Map<string, TypeFact>();
    this.#fields.set(owner, fields.set(name, type));
  }

  fieldType(owner: string, name: string): TypeFact | undefined {
    return this.#fields.get(owner)?.get(name);
  }

  addTypesTo(facts: FileFacts): void {
    const named = [...this.#fields].flatMap(([owner, fields]) =>
      [...fields].map(([name, type]): [string, TypeFact] => [`${owner}.${name}`, type]),
    );
    if (this.grammar.tellsTypes && named.length + this.#answers.size > 0)
      facts.types = { named, results: [...this.#answers], values: [] };
  }

  plainCall(name: string, place: Place): void {
    if (!place.locals?.has(name)) this.collector.call(place.symbol, 'plain', name);
  }

  ownCall(name: string, place: Place): void {
    if (place.owner) this.collector.call(place.symbol, 'own', name, place.owner);
  }

  baseCall(name: string, place: Place): void {
    if (place.owner) this.collector.call(place.symbol, 'base', name, place.owner);
  }

  typedCall(name: string, type: TypeFact | null | undefined, place: Place): void {
    if (typeof type === 'string') this.collector.call(place.symbol, 'typed', name, type);
    else if (type) this.collector.callOn(place.symbol, name, type);
  }

  fieldCall(holder: TypeFact | null | undefined, fieldName: string, name: string, place: Place): void {
    if (holder && fieldName) this.collector.callOn(place.symbol, name, ['member', holder, fieldName]);
  }

  /** Handles `receiver.name()` where the receiver is a single name. */
  namedCall(receiver: string, name: string, place: Place): void {
    const type = place.locals?.get(receiver);
    if (type) this.typedCall(name, type, place);
    else if (!place.locals?.has(receiver)) this.collector.call(place.symbol, 'member', name, receiver);
  }
}

export function textOf(node: Node | null | undefined): string {
  return node?.text ?? '';
}

export function fieldText(node: Node | null | undefined, name: string): string {
  return node?.childForFieldName(name)?.text ?? '';
}

export function field(node: Node, name: string): Node | null {
  return node.childForFieldName(name);
}

export function childOfType(node: Node, ...types: string[]): Node | null {
  return node.namedChildren.find((child) => child && types.includes(child.type)) ?? null;
}

export function childrenOfType(node: Node | null, ...types: string[]): Node[] {
  return (node?.namedChildren ?? []).filter(
    (child): child is Node => child !== null && types.includes(child.type),
  );
}

const simpleName = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** Returns the class name without generics, pointers and namespaces. */
export function bareType(text: string | null | undefined): string | null {
  if (!text) return null;
  const bare = text
    .replace(/<.*$/s, '')
    .replace(/[*&?\s]|const\b|mut\b|dyn\b/g, '')
    .split(/::|\\|\./)
    .at(-1)!;
  return simpleName.test(bare) ? bare : null;
}
