/** The declarations and references of a source file, independent of its path and of other files. */
export interface FileFacts {
  symbols: SymbolFact[];
  imports: ImportFact[];
  /** Set only for languages whose export names may differ from their symbols. */
  exports: [exported: string, local: string][];
  calls: CallFact[];
  /** The declared package, namespace or module. */
  scope: string | null;
  /** Names read through a qualifier (`pkg.Name`), which is how Go and C# use an import. */
  uses: [qualifier: string, name: string][];
  /** Set only for languages with type inference. */
  types?: TypeTable;
  /** The text of a manifest (package.json, tsconfig.json, go.mod …). */
  manifest?: string;
}

export type SymbolKind = 'function' | 'class' | 'method' | 'interface' | 'type' | 'enum';

export interface SymbolFact {
  /** Dotted name without namespaces, such as `Class.method`. */
  name: string;
  kind: SymbolKind;
  /** Hash of the tokens without comments and blanks. */
  body: string;
  /** Hash with the symbol's own name masked, so that a rename does not change it. */
  masked: string;
  /** Number of tokens. */
  size: number;
  bases?: string[];
}

export interface ImportFact {
  source: string;
  names: [imported: string, local: string][];
  /** The local name that holds the whole module. */
  namespace?: string;
  /** Whether the import adds all names to the scope. */
  wildcard?: boolean;
  reexports?: [imported: string, exported: string][];
  reexportsAll?: boolean;
  /** The form of the import, in languages with several (`mod x;`, `require_relative`, `#include <…>`). */
  form?: 'module' | 'relative' | 'library' | 'type' | 'function';
}

/**
 * One call as written. `plain`: f(). `member`: X.f() where X is not a local. `typed`: x.f() with x of class
 * X. `own`: this.f() and `base`: super.f() inside class X. `on`: x.f() with a known type. `value`: x() with a
 * known type.
 */
export type CallFact =
  | [from: number, form: NamedCallForm, name: string, owner: string]
  | [from: number, form: 'on', name: string, type: TypeFact]
  | [from: number, form: 'value', name: '', type: TypeFact];

export type NamedCallForm = 'plain' | 'member' | 'typed' | 'own' | 'base';

/** A type as far as one file defines it, with the names used in that file. */
export type TypeFact =
  | string
  | ['value', name: string]
  | ['result', of: TypeFact]
  | ['member', of: TypeFact, name: string]
  | ['list', of: TypeFact]
  | ['item', of: TypeFact]
  /** A member with the type null is unknown, but still overrides a member that is spread into the object. */
  | ['object', members: [name: string, type: TypeFact | null][], also: TypeFact[]]
  /** A nested function. A call of it counts as a call of the surrounding symbol. */
  | ['function', result: TypeFact | null]
  | ['either', of: TypeFact[]];

export interface TypeTable {
  /** Interfaces, aliases, and fields and getters as `Class.field`. */
  named: [name: string, type: TypeFact][];
  results: [name: string, type: TypeFact][];
  /** Module constants that are not symbols. */
  values: [name: string, type: TypeFact][];
}

export function emptyFacts(): FileFacts {
  return { symbols: [], imports: [], exports: [], calls: [], scope: null, uses: [] };
}

/** Increase this when extraction changes, so that stored facts are computed again. */
export const EXTRACTOR_VERSION = 3;
