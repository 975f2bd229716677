/** What one source file declares and uses, independent of its path and of other files. */
export interface FileFacts {
  symbols: SymbolFact[];
  imports: ImportFact[];
  /** Filled only by languages whose export names differ from their symbols. */
  exports: [exported: string, local: string][];
  calls: CallFact[];
  /** The declared package, namespace or module. */
  scope: string | null;
  /** Names read through a qualifier (`pkg.Name`): what Go and C# take from an import. */
  uses: [qualifier: string, name: string][];
  /** Filled only by languages whose calls are followed through values. */
  types?: TypeTable;
  /** The text of a manifest (package.json, tsconfig.json, go.mod …). */
  manifest?: string;
}

export type SymbolKind = 'function' | 'class' | 'method' | 'interface' | 'type' | 'enum';

export interface SymbolFact {
  /** Dotted name without namespaces: `Class.method`. */
  name: string;
  kind: SymbolKind;
  /** Hash of the tokens, without comments and blanks. */
  body: string;
  /** The same with the symbol's own name masked, so that a rename does not change it. */
  masked: string;
  /** Number of tokens. */
  size: number;
  bases?: string[];
}

export interface ImportFact {
  source: string;
  names: [imported: string, local: string][];
  /** The local name of the whole module. */
  namespace?: string;
  /** Imports everything under its own name. */
  wildcard?: boolean;
  reexports?: [imported: string, exported: string][];
  reexportsAll?: boolean;
  /** The kind of import where the language has several (`mod x;`, `require_relative`, `#include <…>`). */
  form?: 'module' | 'relative' | 'library' | 'type' | 'function';
}

/**
 * One call as written. `plain` f(); `member` X.f() where X is not a local; `typed` x.f() with x of class X; `own` this.f()
 * and `base` super.f() inside class X; `on` x.f() with a known type; `value` x() likewise.
 */
export type CallFact =
  | [from: number, form: NamedCallForm, name: string, owner: string]
  | [from: number, form: 'on', name: string, type: TypeFact]
  | [from: number, form: 'value', name: '', type: TypeFact];

export type NamedCallForm = 'plain' | 'member' | 'typed' | 'own' | 'base';

/** A type as far as one file tells it; names are those of the file. */
export type TypeFact =
  | string
  | ['value', name: string]
  | ['result', of: TypeFact]
  | ['member', of: TypeFact, name: string]
  | ['list', of: TypeFact]
  | ['item', of: TypeFact]
  /** An unknown member still hides one of the types it spreads. */
  | ['object', members: [name: string, type: TypeFact | null][], also: TypeFact[]]
  /** A nested function: calling it counts as calling the symbol around it. */
  | ['function', result: TypeFact | null]
  | ['either', of: TypeFact[]];

export interface TypeTable {
  /** Interfaces and aliases, and fields and getters as `Class.field`. */
  named: [name: string, type: TypeFact][];
  results: [name: string, type: TypeFact][];
  /** Module constants that are not symbols. */
  values: [name: string, type: TypeFact][];
}

export function emptyFacts(): FileFacts {
  return { symbols: [], imports: [], exports: [], calls: [], scope: null, uses: [] };
}

/** Raise it when extraction changes, so that stored facts are made again. */
export const EXTRACTOR_VERSION = 3;
