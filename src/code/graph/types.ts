import type { TypeFact } from '../parsing/facts.js';
import type { LinkSteps } from './code-base.js';
import { type CodeBase, fileOf, fileRef, type Ref, symbolOf } from './code-base.js';
import type { Names } from './names.js';

type Structure = Extract<
  TypeFact,
  ['object', ...unknown[]] | ['function', ...unknown[]] | ['list', ...unknown[]]
>;

type Value =
  | { kind: 'symbol'; ref: Ref }
  | { kind: 'instance'; ref: Ref }
  | { kind: 'module'; files: readonly number[] }
  | { kind: 'structure'; file: number; home: Ref; type: Structure };

const MAX_STEPS = 40;

export type Types = ReturnType<typeof followTypes>;

/**
 * Follows annotations, factories, interfaces and constants to the symbol that a call reaches. Uncertain types
 * give no edge.
 */
export function followTypes(code: CodeBase, names: Names, taken: LinkSteps) {
  const results = new Map<Ref, Value | undefined>();
  const constants = new Map<string, Value | undefined>();
  const members = new Map<Ref | Structure, Map<string, Value | undefined>>();
  let steps = 0;

  /** Computes each value once. Values that are circular or nested too deeply stay undefined. */
  function once<K>(
    known: Map<K, Value | undefined>,
    key: K,
    work: () => Value | undefined,
  ): Value | undefined {
    if (known.has(key)) return known.get(key);
    known.set(key, undefined);
    const value = step(work);
    known.set(key, value);
    return value;
  }

  function step(work: () => Value | undefined): Value | undefined {
    if (steps >= MAX_STEPS || !taken.take()) return undefined;
    steps++;
    const value = work();
    steps--;
    return value;
  }

  const valueAt = (file: number, home: Ref, type: TypeFact | null | undefined): Value | undefined =>
    type ? step(() => read(file, home, type)) : undefined;

  function read(file: number, home: Ref, type: TypeFact): Value | undefined {
    if (typeof type === 'string') return ofType(file, type);
    switch (type[0]) {
      case 'value':
        return ofName(file, type[1]);
      case 'result':
        return resultOf(valueAt(file, home, type[1]));
      case 'member':
        return memberOf(valueAt(file, home, type[1]), type[2]);
      case 'item': {
        const list = valueAt(file, home, type[1]);
        return list?.kind === 'structure' && list.type[0] === 'list'
          ? valueAt(list.file, list.home, list.type[1])
          : undefined;
      }
      case 'either':
        return same(type[1].map((part) => valueAt(file, home, part)));
      default:
        return { kind: 'structure', file, home, type };
    }
  }

  function ofType(file: number, name: string): Value | undefined {
    const meaning = names.resolvePath(file, name);
    if (!meaning || !('symbol' in meaning)) return undefined;
    const { symbol: ref } = meaning;
    const { kind, name: own } = code.symbolFact(ref);
    if (kind === 'function' || kind === 'method') return undefined;
    const alias = kind === 'type' ? code.type(fileOf(ref), 'named', own) : undefined;
    return alias ? once(results, ref, () => valueAt(fileOf(ref), ref, alias)) : { kind: 'instance', ref };
  }

  function ofName(file: number, name: string): Value | undefined {
    const meaning = names.resolve(file, name);
    if (!meaning) return undefined;
    if ('module' in meaning) return { kind: 'module', files: meaning.module };
    if ('constant' in meaning) return ofConstant(meaning.constant.file, meaning.constant.name);
    const { kind, name: own } = code.symbolFact(meaning.symbol);
    // A constant and a type may share a name, and this lookup needs the value.
    if (kind === 'interface' || kind === 'type') return ofConstant(fileOf(meaning.symbol), own);
    return { kind: 'symbol', ref: meaning.symbol };
  }

  function ofConstant(file: number, name: string): Value | undefined {
    return once(constants, `${file} ${name}`, () =>
      valueAt(file, fileRef(file), code.type(file, 'values', name)),
    );
  }

  function resultOf(value: Value | undefined): Value | undefined {
    if (value?.kind === 'structure')
      return value.type[0] === 'function' ? valueAt(value.file, value.home, value.type[1]) : undefined;
    if (value?.kind !== 'symbol') return undefined;
    const { ref } = value;
    return once(results, ref, () =>
      valueAt(fileOf(ref), ref, code.type(fileOf(ref), 'results', code.nameOf(ref))),
    );
  }

  function memberOf(value: Value | undefined, name: string): Value | undefined {
    switch (value?.kind) {
      case 'symbol':
        return code.symbolFact(value.ref).kind === 'class'
          ? asSymbol(names.member(value.ref, name))
          : undefined;
      case 'instance':
        return once(membersOf(value.ref), name, () => memberOfInstance(value.ref, name));
      case 'module':
        return same(value.files.map((file) => ofModule(file, name)));
      case 'structure': {
        const { file, home, type } = value;
        if (type[0] !== 'object') return undefined;
        return once(membersOf(type), name, () => memberOfObject(file, home, type, name));
      }
      default:
        return undefined;
    }
  }

  function membersOf(holder: Ref | Structure): Map<string, Value | undefined> {
    const known = members.get(holder) ?? new Map<string, Value | undefined>();
    members.set(holder, known);
    return known;
  }

  function memberOfInstance(ref: Ref, name: string): Value | undefined {
    const file = fileOf(ref);
    const owner = code.nameOf(ref);
    const body = code.type(file, 'named', owner);
    if (typeof body === 'object' && body[0] === 'object') return memberOfObject(file, ref, body, name);
    const field = code.type(file, 'named', `${owner}.${name}`);
    if (field) return valueAt(file, ref, field);
    const method = names.member(ref, name);
    if (method !== undefined) return { kind: 'symbol', ref: method };
    for (const base of code.symbolFact(ref).bases ?? []) {
      const found = memberOf(valueAt(file, ref, base), name);
      if (found) return found;
    }
    return undefined;
  }

  function memberOfObject(
    file: number,
    home: Ref,
    [, members, also]: Extract<Structure, ['object', ...unknown[]]>,
    name: string,
  ): Value | undefined {
    if (!taken.take(members.length)) return undefined;
    const own = members.findLast(([member]) => member === name);
    if (own) return valueAt(file, home, own[1]);
    for (const part of also.toReversed()) {
      const found = memberOf(valueAt(file, home, part), name);
      if (found) return found;
    }
    return undefined;
  }

  function ofModule(file: number, name: string): Value | undefined {
    const meaning = names.offered(file, name);
    if (!meaning) return undefined;
    if ('module' in meaning) return { kind: 'module', files: meaning.module };
    if ('constant' in meaning) return ofConstant(meaning.constant.file, meaning.constant.name);
    return { kind: 'symbol', ref: meaning.symbol };
  }

  return {
    /**
     * The result for a circular type depends on where the lookup starts, so results are not kept for the next
     * file.
     */
    beginFile(): void {
      for (const known of [results, constants, members]) known.clear();
    },

    called(file: number, home: Ref, type: TypeFact): Ref | undefined {
      const value = valueAt(file, home, type);
      if (value?.kind === 'symbol') return value.ref;
      if (value?.kind !== 'structure' || value.type[0] !== 'function') return undefined;
      return symbolOf(value.home) < 0 ? undefined : value.home;
    },
  };
}

const asSymbol = (ref: Ref | undefined): Value | undefined =>
  ref === undefined ? undefined : { kind: 'symbol', ref };

function same(values: readonly (Value | undefined)[]): Value | undefined {
  const [first] = values;
  return first && values.every((value) => value && isSame(first, value)) ? first : undefined;
}

function isSame(one: Value, other: Value): boolean {
  if (one.kind === 'structure')
    return other.kind === 'structure' && one.home === other.home && one.type === other.type;
  if (one.kind === 'module') return other.kind === 'module' && one.files[0] === other.files[0];
  return one.kind === other.kind && one.ref === other.ref;
}
