/** What one source file says about itself, independent of every other file and of its own path. */
export interface FileFacts {
  symbols: SymbolFact[];
  imports: ImportFact[];
  /** Exported name → local name; only languages whose export names differ from their symbols fill it. */
  exports: [exported: string, local: string][];
  calls: CallFact[];
  /** The package, namespace or module the file declares itself part of. */
  scope: string | null;
  /** Names read through a qualifier (`pkg.Name`): how Go and C# say what they take from an import. */
  uses: [qualifier: string, name: string][];
  /** What is known of types; only languages whose calls are followed through values that were handed in fill it. */
  types?: TypeTable;
  /** The text of a manifest (package.json, tsconfig.json, go.mod …) that resolution reads. */
  manifest?: string;
}

export type SymbolKind = 'function' | 'class' | 'method' | 'interface' | 'type' | 'enum';

export interface SymbolFact {
  /** Dotted name inside the file, namespaces left out: `Class.method`. */
  name: string;
  kind: SymbolKind;
  /** Hash of the tokens, without comments and blanks. */
  body: string;
  /** The same with the symbol's own name masked: equal before and after a rename. */
  masked: string;
  /** Number of tokens: what is tiny says too little to be recognised elsewhere. */
  size: number;
  /** Names of the classes it extends, as written. */
  bases?: string[];
}

export interface ImportFact {
  source: string;
  names: [imported: string, local: string][];
  /** The local name that stands for the whole module. */
  namespace?: string;
  /** Everything the module offers becomes visible under its own name. */
  wildcard?: boolean;
  reexports?: [imported: string, exported: string][];
  reexportsAll?: boolean;
  /** Only a certain way of finding the module fits (`mod x;`, `require_relative`, `#include <…>`). */
  form?: 'module' | 'relative' | 'library' | 'type' | 'function';
}

/**
 * One call as written. `plain` f(); `member` X.f() where X is no local name; `typed` x.f() where x is known to be of class X;
 * `own` this.f() inside class X; `base` super.f() inside class X; `on` x.f() where a type says what x is; `value` x() likewise.
 */
export type CallFact =
  | [from: number, form: NamedCallForm, name: string, owner: string]
  | [from: number, form: 'on', name: string, type: TypeFact]
  | [from: number, form: 'value', name: '', type: TypeFact];

export type NamedCallForm = 'plain' | 'member' | 'typed' | 'own' | 'base';

/** A type as far as one file tells it; names in it mean what they mean in that file. */
export type TypeFact =
  /** A class, interface or alias by its name. */
  | string
  /** What a name of the module holds: a function, a class, a constant, another module. */
  | ['value', name: string]
  | ['result', of: TypeFact]
  | ['member', of: TypeFact, name: string]
  | ['list', of: TypeFact]
  | ['item', of: TypeFact]
  /** A member that is not known still hides what `also` says of it. */
  | ['object', members: [name: string, type: TypeFact | null][], also: TypeFact[]]
  /** A function written inside a symbol: whoever calls it calls that symbol. */
  | ['function', result: TypeFact | null]
  | ['either', of: TypeFact[]];

export interface TypeTable {
  /** Interfaces and aliases, and fields and getters as `Class.field`. */
  named: [name: string, type: TypeFact][];
  /** What functions and methods answer. */
  results: [name: string, type: TypeFact][];
  /** What the module's constants hold that are no symbols themselves. */
  values: [name: string, type: TypeFact][];
}

export function emptyFacts(): FileFacts {
  return { symbols: [], imports: [], exports: [], calls: [], scope: null, uses: [] };
}

/** Raised whenever extraction changes meaning, so that stored facts of older versions are made again. */
export const EXTRACTOR_VERSION = 3;
