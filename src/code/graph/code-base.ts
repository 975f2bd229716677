import type { Language } from '../languages.js';
import type { FileFacts, SymbolFact, TypeFact, TypeTable } from '../parsing/facts.js';
import { folderOf } from './module-resolver.js';

export interface SourceFile {
  path: string;
  language: Language | undefined;
  facts: FileFacts | undefined;
}

/** A file or symbol as one number: `file × 8192 + symbol + 1`, or `file × 8192` for the file itself. */
export type Ref = number;
const STRIDE = 8192;

export const fileRef = (file: number): Ref => file * STRIDE;
export const symbolRef = (file: number, symbol: number): Ref => file * STRIDE + symbol + 1;
export const fileOf = (ref: Ref): number => Math.floor(ref / STRIDE);
export const symbolOf = (ref: Ref): number => (ref % STRIDE) - 1;

/** Facts are reused between index runs, and so are the tables derived from them. */
const symbolTables = new WeakMap<FileFacts, Map<string, number>>();
const exportTables = new WeakMap<FileFacts, Map<string, string>>();
const NO_SYMBOLS: ReadonlyMap<string, number> = new Map();
const typeTables = new WeakMap<TypeTable, Record<keyof TypeTable, Map<string, TypeFact>>>();

export interface Reads {
  files: Set<number>;
  languages: Set<Language>;
}

/** All files of a commit with tables for name lookups. Records what each lookup read. */
export class CodeBase {
  reads: Reads = { files: new Set(), languages: new Set() };
  readonly byPath = new Map<string, number>();
  readonly byFolder = new Map<string, number[]>();
  readonly #scopes = new Map<string, Map<string, Ref[]>>();
  readonly #names = new Map<string, Map<string, Ref[]>>();
  readonly #byName = new Map<string, number[]>();

  constructor(readonly files: readonly SourceFile[]) {
    files.forEach((file, number) => {
      this.byPath.set(file.path, number);
      push(this.byFolder, folderOf(file.path), number);
      push(this.#byName, file.path.slice(file.path.lastIndexOf('/') + 1), number);
    });
  }

  path(file: number): string {
    return this.files[file]!.path;
  }

  facts(file: number): FileFacts | undefined {
    this.reads.files.add(file);
    return this.files[file]!.facts;
  }

  /** Returns the local name of an export. */
  exported(file: number, name: string): string | undefined {
    const facts = this.facts(file)!;
    let table = exportTables.get(facts);
    if (!table) {
      // When a name is exported twice, the first export wins.
      table = new Map(facts.exports.toReversed());
      exportTables.set(facts, table);
    }
    return table.get(name);
  }

  symbol(file: number, name: string): Ref | undefined {
    const number = symbolsOf(this.facts(file)).get(name);
    return number === undefined ? undefined : symbolRef(file, number);
  }

  nameOf(ref: Ref): string {
    return this.symbolFact(ref).name;
  }

  symbolFact(ref: Ref): SymbolFact {
    return this.facts(fileOf(ref))!.symbols[symbolOf(ref)]!;
  }

  /** The declared type of a name, a function result or a constant. */
  type(file: number, table: keyof TypeTable, name: string): TypeFact | undefined {
    const types = this.facts(file)?.types;
    if (!types) return undefined;
    let tables = typeTables.get(types);
    if (!tables) {
      tables = {
        named: new Map(types.named),
        results: new Map(types.results),
        values: new Map(types.values),
      };
      typeTables.set(types, tables);
    }
    return tables[table].get(name);
  }

  /** Returns the only top-level symbol with this name in a package or namespace. */
  inScope(language: Language, scope: string, name: string): Ref | undefined {
    this.reads.languages.add(language);
    const key = `${language} ${scope}`;
    if (this.#scopes.size === 0) this.#fillScopes();
    return only(this.#scopes.get(key)?.get(name));
  }

  anywhere(languages: readonly Language[], name: string): Ref | undefined {
    for (const language of languages) this.reads.languages.add(language);
    return only(languages.flatMap((language) => this.#namesOf(language).get(name) ?? []));
  }

  /** Returns the only file whose path ends with the suffix. */
  endingWith(suffix: string): number | undefined {
    const candidates = this.#byName.get(suffix.slice(suffix.lastIndexOf('/') + 1)) ?? [];
    return only(candidates.filter((file) => `/${this.path(file)}`.endsWith(`/${suffix}`)));
  }

  sameStem(file: number, endings: readonly string[]): number[] {
    const name = this.path(file)
      .replace(/^.*\//, '')
      .replace(/\.[^.]+$/, '');
    return endings.flatMap((ending) => this.#byName.get(`${name}.${ending}`) ?? []);
  }

  #fillScopes(): void {
    this.#scopes.set('', new Map());
    this.files.forEach((file, number) => {
      if (!file.facts || !file.language) return;
      const key = `${file.language} ${file.facts.scope ?? ''}`;
      const names = this.#scopes.get(key) ?? new Map<string, Ref[]>();
      this.#scopes.set(key, names);
      for (const [name, symbol] of symbolsOf(file.facts))
        if (!name.includes('.')) push(names, name, symbolRef(number, symbol));
    });
  }

  #namesOf(language: Language): Map<string, Ref[]> {
    let names = this.#names.get(language);
    if (names) return names;
    names = new Map();
    this.#names.set(language, names);
    this.files.forEach((file, number) => {
      if (file.language !== language) return;
      for (const [name, symbol] of symbolsOf(file.facts)) push(names, name, symbolRef(number, symbol));
    });
    return names;
  }
}

function symbolsOf(facts: FileFacts | undefined): ReadonlyMap<string, number> {
  if (!facts) return NO_SYMBOLS;
  let table = symbolTables.get(facts);
  if (!table) {
    table = new Map(facts.symbols.map((symbol, number) => [symbol.name, number]));
    symbolTables.set(facts, table);
  }
  return table;
}

/** Returns undefined for an ambiguous name, because a missing edge is better than a wrong one. */
export function only<T>(candidates: readonly T[] | undefined): T | undefined {
  return candidates?.length === 1 ? candidates[0] : undefined;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const MOST_OF_A_FILE = 2_000_000;

/**
 * Limits how many lookups one file may cause, because a few lines of hostile code can cause billions. The
 * limit is deterministic.
 */
export class LinkSteps {
  #ofFile = MOST_OF_A_FILE;
  #isSpent = false;
  #atStart = 0;
  spentFiles = 0;

  constructor(private ofAll = Number.MAX_SAFE_INTEGER) {}

  beginFile(): void {
    this.#atStart = this.ofAll;
    this.#ofFile = Math.min(MOST_OF_A_FILE, this.ofAll);
    this.#isSpent = false;
  }

  get ofThisFile(): number {
    return this.#atStart - this.ofAll;
  }

  take(count = 1): boolean {
    this.#ofFile -= count;
    this.ofAll -= count;
    if (this.#ofFile >= 0) return true;
    if (!this.#isSpent) this.spentFiles++;
    this.#isSpent = true;
    return false;
  }
}
