import type { CallFact } from '../parsing/facts.js';
import {
  CodeBase,
  fileOf,
  fileRef,
  LinkSteps,
  type Reads,
  type Ref,
  type SourceFile,
  symbolOf,
  symbolRef,
} from './code-base.js';
import { ImportTargets } from './import-targets.js';
import { type Meaning, Names } from './names.js';
import { followTypes, type Types } from './types.js';

export type LinkKind = 'import' | 'symbol_import' | 'call';

export interface Link {
  source: Ref;
  target: Ref;
  kind: LinkKind;
}

export interface FileLink {
  links: Link[];
  reads: Reads;
  steps: number;
}

/**
 * Finds import and call edges. The edges of a file depend only on what it read and on the names of all files,
 * so files can be linked in any order.
 */
export function openLinker(files: readonly SourceFile[], steps = new LinkSteps()) {
  const code = new CodeBase(files);
  const names = new Names(code, new ImportTargets(code), steps);
  const types = followTypes(code, names, steps);
  return {
    code,
    link(file: number): FileLink {
      steps.beginFile();
      types.beginFile();
      const reads: Reads = { files: new Set(), languages: new Set() };
      code.reads = reads;
      const links = new FileLinks(code, names, types, file).collect();
      return { links, reads, steps: steps.ofThisFile };
    },
  };
}

export function linkFiles(files: readonly SourceFile[]): { code: CodeBase; links: Link[][] } {
  const { code, link } = openLinker(files);
  return { code, links: files.map((_, file) => link(file).links) };
}

class FileLinks {
  readonly #links: Link[] = [];
  readonly #known = new Set<number>();

  constructor(
    readonly code: CodeBase,
    readonly names: Names,
    readonly types: Types,
    readonly file: number,
  ) {}

  collect(): Link[] {
    const facts = this.code.facts(this.file);
    if (!facts) return [];
    this.#imports();
    for (const call of facts.calls) this.#call(call);
    return this.#links;
  }

  #add(source: Ref, target: Ref, kind: LinkKind): void {
    if (source === target) return;
    const key =
      target * 32_768 + (symbolOf(source) + 1) * 4 + (kind === 'import' ? 0 : kind === 'call' ? 1 : 2);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#links.push({ source, target, kind });
  }

  #importFile(target: number): void {
    if (target !== this.file) this.#add(fileRef(this.file), fileRef(target), 'import');
  }

  /**
   * Adds an edge to the file of an imported symbol, unless the import already resolved to another file (a
   * re-export).
   */
  #importMeaning(meaning: Meaning | undefined, withFile: boolean): void {
    if (!meaning) return;
    if ('module' in meaning) for (const target of meaning.module) this.#importFile(target);
    else if ('symbol' in meaning) {
      if (fileOf(meaning.symbol) === this.file) return;
      if (withFile) this.#importFile(fileOf(meaning.symbol));
      this.#add(fileRef(this.file), meaning.symbol, 'symbol_import');
    }
  }

  #imports(): void {
    const { uses } = this.code.facts(this.file)!;
    for (const [fact, target] of this.names.importsOf(this.file).facts) {
      const named = [
        ...fact.names.map(([imported]) => imported),
        ...(fact.reexports ?? []).map(([imported]) => imported),
      ];
      const looks = 1 + target.files.length + (target.isPackage || fact.wildcard ? uses.length : 0);
      if (!this.names.steps.take(looks)) return;
      if (target.isPackage) {
        const taken = uses.flatMap(([qualifier, name]) =>
          qualifier === fact.namespace ? (this.names.taken(this.file, target, name) ?? []) : [],
        );
        for (const meaning of taken) this.#importMeaning(meaning, true);
        if (taken.length === 0) for (const other of target.files) this.#importFile(other);
        continue;
      }
      for (const other of target.files) this.#importFile(other);
      for (const name of new Set(named))
        this.#importMeaning(this.names.taken(this.file, target, name), target.files.length === 0);
      if (fact.wildcard && target.scope !== undefined) {
        for (const [, name] of uses) this.#importMeaning(this.names.taken(this.file, target, name), true);
      }
    }
  }

  #call(call: CallFact): void {
    const source = call[0] < 0 ? fileRef(this.file) : symbolRef(this.file, call[0]);
    const target = this.#callee(call, source);
    if (target !== undefined) this.#add(source, target, 'call');
  }

  #callee(call: CallFact, source: Ref): Ref | undefined {
    if (call[1] === 'value') return this.types.called(this.file, source, call[3]);
    if (call[1] === 'on') return this.types.called(this.file, source, ['member', call[3], call[2]]);
    const [, form, name, owner] = call;
    if (form === 'plain') {
      const meaning = this.names.resolve(this.file, name);
      const isConstant = meaning !== undefined && 'constant' in meaning;
      return isConstant ? this.types.called(this.file, source, ['value', name]) : symbolIn(meaning);
    }
    if (form === 'own' || form === 'base') {
      const around = this.code.symbol(this.file, owner) ?? symbolIn(this.names.resolve(this.file, owner));
      if (around === undefined) return undefined;
      return form === 'own' ? this.names.member(around, name) : this.names.inherited(around, name);
    }
    const found = this.#memberOf(owner, name);
    if (found !== undefined || this.code.files[this.file]!.language !== 'javascript') return found;
    return this.types.called(this.file, source, [
      'member',
      form === 'typed' ? owner : ['value', owner],
      name,
    ]);
  }

  #memberOf(owner: string, name: string): Ref | undefined {
    const meaning = this.names.resolvePath(this.file, owner);
    if (!meaning || 'constant' in meaning) return undefined;
    if ('symbol' in meaning) return this.names.member(meaning.symbol, name);
    const found = meaning.module.flatMap((file) => symbolIn(this.names.offered(file, name)) ?? []);
    return found.length === 1 ? found[0] : undefined;
  }
}

function symbolIn(meaning: Meaning | undefined): Ref | undefined {
  return meaning && 'symbol' in meaning ? meaning.symbol : undefined;
}
