import type { CallFact, FileFacts, NamedCallForm, SymbolFact, SymbolKind, TypeFact } from './facts.js';
import { emptyFacts } from './facts.js';
import { isPlainName, type TokenIndex } from './tokens.js';

const MAX_SYMBOLS = 5000;
const MAX_CALLS = 20_000;

interface Declared {
  kind: SymbolKind;
  bases: string[];
  spans: [number, number][];
}

/** Gathers what an extractor finds: overloads and reopened classes become one symbol, equal calls one call. */
export class SymbolCollector {
  readonly facts: FileFacts = emptyFacts();
  readonly #order = new Map<string, number>();
  readonly #declared: Declared[] = [];
  readonly #calls = new Set<string>();

  /** The number of the symbol, or -1 when the name cannot be one. */
  declare(name: string, kind: SymbolKind, start: number, end: number, bases: string[] = []): number {
    if (!isPlainName(name)) return -1;
    const known = this.#order.get(name);
    if (known !== undefined) {
      const declared = this.#declared[known]!;
      declared.spans.push([start, end]);
      declared.bases.push(...bases);
      if (kind === 'class') declared.kind = kind;
      return known;
    }
    if (this.#declared.length >= MAX_SYMBOLS) return -1;
    this.#order.set(name, this.#declared.length);
    this.#declared.push({ kind, bases: [...bases], spans: [[start, end]] });
    return this.#declared.length - 1;
  }

  has(name: string): boolean {
    return this.#order.has(name);
  }

  call(from: number, form: NamedCallForm, name: string, owner = ''): void {
    if (name) this.#note(`${from} ${form} ${name} ${owner}`, [from, form, name, owner]);
  }

  /** A call of a value, or of one of its members, of which a type tells what it is. */
  callOn(from: number, name: string, type: TypeFact): void {
    const key = `${from} on ${name} ${JSON.stringify(type)}`;
    this.#note(key, name === '' ? [from, 'value', '', type] : [from, 'on', name, type]);
  }

  #note(key: string, call: CallFact): void {
    if (this.#calls.has(key) || this.#calls.size >= MAX_CALLS) return;
    this.#calls.add(key);
    this.facts.calls.push(call);
  }

  finish(tokens: TokenIndex): FileFacts {
    this.facts.symbols = [...this.#order].map(([name, number]): SymbolFact => {
      const { kind, bases, spans } = this.#declared[number]!;
      const fact: SymbolFact = { name, kind, ...tokens.hash(spans, name.slice(name.lastIndexOf('.') + 1)) };
      return bases.length > 0 ? { ...fact, bases: [...new Set(bases)] } : fact;
    });
    return this.facts;
  }
}
