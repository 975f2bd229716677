import type { Language } from '../languages.js';
import type { ImportFact } from '../parsing/facts.js';
import type { LinkSteps } from './code-base.js';
import { type CodeBase, fileOf, only, type Ref } from './code-base.js';
import type { ImportTarget, ImportTargets } from './import-targets.js';
import { folderOf } from './module-resolver.js';

export type Meaning = { symbol: Ref } | { module: number[] } | { constant: { file: number; name: string } };

const MAX_STEPS = 12;
const cFamily: Language[] = ['c', 'cpp'];
const pathSeparators: Partial<Record<Language, string>> = { rust: '::', go: '.', python: '.' };
const scopedLanguages = new Set<Language>(['java', 'c_sharp', 'php']);

interface FileImports {
  facts: [ImportFact, ImportTarget][];
  bindings: Map<string, { fact: ImportFact; target: ImportTarget; imported: string | null }[]>;
}

export class Names {
  readonly #imports: (FileImports | undefined)[] = [];
  readonly #packages = new Map<string, number[]>();

  constructor(
    readonly code: CodeBase,
    readonly targets: ImportTargets,
    readonly steps: LinkSteps,
  ) {}

  /** The result depends only on this file and on the names of all files. */
  importsOf(file: number): FileImports {
    const facts = this.code.facts(file);
    let known = this.#imports[file];
    if (known) return known;
    known = { facts: [], bindings: new Map() };
    this.#imports[file] = known;
    for (const fact of facts?.imports ?? []) {
      const target = this.targets.find(file, fact);
      known.facts.push([fact, target]);
      const bind = (local: string, imported: string | null) => {
        const list = known.bindings.get(local) ?? [];
        list.push({ fact, target, imported });
        known.bindings.set(local, list);
      };
      for (const [imported, local] of fact.names) bind(local, imported);
      if (fact.namespace) bind(fact.namespace, null);
    }
    return known;
  }

  resolve(file: number, name: string, steps = 0): Meaning | undefined {
    if (steps > MAX_STEPS || !this.steps.take()) return undefined;
    const own = this.code.symbol(file, name);
    if (own !== undefined) return { symbol: own };
    if (this.code.type(file, 'values', name)) return { constant: { file, name } };
    return this.#bound(file, name, steps) ?? this.#surrounding(file, name, steps);
  }

  resolvePath(file: number, path: string): Meaning | undefined {
    const separator = pathSeparators[this.code.files[file]!.language!];
    const direct = this.resolve(file, path) ?? (separator === '::' ? this.#rustFile(file, path) : undefined);
    const cut = separator ? path.lastIndexOf(separator) : -1;
    if (direct || cut < 0) return direct;
    const outer = this.resolvePath(file, path.slice(0, cut));
    if (!outer || !('module' in outer)) return undefined;
    const name = path.slice(cut + separator!.length);
    const [first, ...more] = outer.module;
    return more.length > 0 ? this.#inFiles(outer.module, name) : this.offered(first!, name);
  }

  #rustFile(file: number, path: string): Meaning | undefined {
    const module = this.code.byPath.get(this.targets.rustModule(file, path) ?? '');
    return module === undefined ? undefined : { module: [module] };
  }

  #bound(file: number, name: string, steps: number): Meaning | undefined {
    for (const { target, imported } of this.importsOf(file).bindings.get(name) ?? []) {
      if (imported !== null) {
        const meaning = this.taken(file, target, imported, steps + 1);
        if (meaning) return meaning;
      } else if (target.files.length > 0) return { module: target.files };
    }
    return undefined;
  }

  taken(file: number, target: ImportTarget, name: string, steps = 0): Meaning | undefined {
    const { language } = this.code.files[file]!;
    if (target.scope !== undefined) return this.#fromScope(language!, target.scope, name);
    const [only, ...more] = target.files;
    if (only === undefined) return language === 'rust' ? this.#rustFile(file, name) : undefined;
    if (more.length > 0) return this.#inFiles(target.files, name);
    return this.offered(only, name, steps);
  }

  #fromScope(language: Language, scope: string, name: string): Meaning | undefined {
    const direct = this.code.inScope(language, scope, name);
    if (direct !== undefined) return { symbol: direct };
    const separator = language === 'php' ? '\\' : '.';
    const cut = scope.lastIndexOf(separator);
    const owner = this.code.inScope(language, scope.slice(0, Math.max(cut, 0)), scope.slice(cut + 1));
    const member =
      owner === undefined ? undefined : this.code.symbol(fileOf(owner), `${scope.slice(cut + 1)}.${name}`);
    return member === undefined ? undefined : { symbol: member };
  }

  #inFiles(files: readonly number[], name: string): Meaning | undefined {
    if (!this.steps.take(files.length)) return undefined;
    const symbol = only(files.flatMap((file) => this.code.symbol(file, name) ?? []));
    return symbol === undefined ? undefined : { symbol };
  }

  /** Returns what a file exports under a name, including re-exports. */
  offered(file: number, name: string, steps = 0): Meaning | undefined {
    if (steps > MAX_STEPS) return undefined;
    const { language } = this.code.files[file]!;
    const facts = this.code.facts(file);
    if (!facts) return undefined;
    if (language === 'javascript') return this.#exported(file, name, steps);
    const own = this.code.symbol(file, name);
    if (own !== undefined) return { symbol: own };
    if (language === 'python') {
      const source = this.targets.pythonModule(file, `.${name}`);
      const module = this.code.path(file).endsWith('__init__.py')
        ? this.code.byPath.get(source ?? '')
        : undefined;
      if (module !== undefined) return { module: [module] };
      return this.#bound(file, name, steps + 1) ?? this.#surrounding(file, name, steps + 1);
    }
    if (language === 'rust') {
      const child = this.code.byPath.get(this.targets.rustModule(file, `self::${name}`) ?? '');
      if (child !== undefined) return { module: [child] };
      return this.#reexported(file, name, steps);
    }
    return undefined;
  }

  #exported(file: number, name: string, steps: number): Meaning | undefined {
    const local = this.code.exported(file, name);
    if (local !== undefined) return this.resolve(file, local, steps + 1);
    return this.#reexported(file, name, steps);
  }

  #reexported(file: number, name: string, steps: number): Meaning | undefined {
    const stars: Meaning[] = [];
    const { facts } = this.importsOf(file);
    if (!this.steps.take(1 + facts.length)) return undefined;
    for (const [fact, target] of facts) {
      const named = fact.reexports?.find(([, exported]) => exported === name);
      if (named) return this.taken(file, target, named[0], steps + 1);
      if (!fact.reexportsAll || name === 'default') continue;
      const meaning = this.taken(file, target, name, steps + 1);
      if (meaning && !stars.some((known) => sameMeaning(known, meaning))) stars.push(meaning);
    }
    return only(stars);
  }

  #surrounding(file: number, name: string, steps: number): Meaning | undefined {
    const { language, path } = this.code.files[file]!;
    if (language === 'go') {
      return this.#inFiles(this.#packageOf(folderOf(path), this.code.facts(file)!.scope), name);
    }
    if (language && scopedLanguages.has(language)) return this.#namespaced(file, language, name);
    if (language === 'c' || language === 'cpp') return this.#included(file, name);
    if (language === 'ruby') return this.#required(file, name);
    return this.#wildcards(file, name, steps);
  }

  #packageOf(folder: string, scope: string | null): number[] {
    this.code.reads.languages.add('go');
    const key = `${folder} ${scope}`;
    let files = this.#packages.get(key);
    if (!files) {
      files = (this.code.byFolder.get(folder) ?? []).filter(
        (other) => this.code.facts(other)?.scope === scope,
      );
      this.#packages.set(key, files);
    }
    return files;
  }

  #namespaced(file: number, language: Language, name: string): Meaning | undefined {
    const own = this.code.inScope(language, this.code.facts(file)!.scope ?? '', name);
    if (own !== undefined) return { symbol: own };
    const found: Ref[] = [];
    const { facts } = this.importsOf(file);
    if (!this.steps.take(facts.length)) return undefined;
    for (const [fact, target] of facts) {
      if (!fact.wildcard || target.scope === undefined) continue;
      const meaning = this.#fromScope(language, target.scope, name);
      if (meaning && 'symbol' in meaning && !found.includes(meaning.symbol)) found.push(meaning.symbol);
    }
    const symbol = only(found);
    return symbol === undefined ? undefined : { symbol };
  }

  #wildcards(file: number, name: string, steps: number): Meaning | undefined {
    const found: Meaning[] = [];
    const { facts } = this.importsOf(file);
    if (!this.steps.take(facts.length)) return undefined;
    for (const [fact, target] of facts) {
      const meaning = fact.wildcard ? this.taken(file, target, name, steps + 1) : undefined;
      if (meaning && !found.some((known) => sameMeaning(known, meaning))) found.push(meaning);
    }
    return only(found);
  }

  /** Searches included headers, recursively, and the source files of a header. */
  #included(file: number, name: string): Meaning | undefined {
    const reached = new Set<number>([file]);
    for (const current of reached) {
      if (reached.size > 300) break;
      const { facts } = this.importsOf(current);
      if (!this.steps.take(1 + facts.length)) return undefined;
      for (const [, target] of facts) for (const next of target.files) reached.add(next);
    }
    const direct = this.#inFiles([...reached], name);
    if (direct) return direct;
    const sources = new Set(
      [...reached].flatMap((header) => this.code.sameStem(header, ['c', 'cc', 'cpp', 'cxx'])),
    );
    const beside = this.#inFiles(
      [...sources].filter((source) => !reached.has(source)),
      name,
    );
    if (beside) return beside;
    const defined = this.code.anywhere(cFamily, name);
    if (defined === undefined) return undefined;
    const sharesHeader = this.importsOf(fileOf(defined)).facts.some(([, target]) =>
      target.files.some((header) => header !== file && reached.has(header)),
    );
    return sharesHeader ? { symbol: defined } : undefined;
  }

  #required(file: number, name: string): Meaning | undefined {
    const { facts } = this.importsOf(file);
    if (!this.steps.take(facts.length)) return undefined;
    const files = facts.flatMap(([, target]) => target.files);
    const direct = this.#inFiles([...new Set(files)], name);
    if (direct || !/^[A-Z]/.test(name)) return direct;
    const constant = this.code.anywhere(['ruby'], name);
    return constant === undefined ? undefined : { symbol: constant };
  }

  member(owner: Ref, name: string, steps = 0): Ref | undefined {
    if (steps > MAX_STEPS || !this.steps.take()) return undefined;
    const file = fileOf(owner);
    const ownerName = this.code.nameOf(owner);
    const own =
      this.code.symbol(file, `${ownerName}.${name}`) ?? this.#elsewhere(file, `${ownerName}.${name}`);
    return own ?? this.inherited(owner, name, steps);
  }

  inherited(owner: Ref, name: string, steps = 0): Ref | undefined {
    const file = fileOf(owner);
    const bases = this.code.symbolFact(owner).bases ?? [];
    for (const base of bases) {
      const meaning = this.resolve(file, base, steps + 1);
      if (!meaning || !('symbol' in meaning) || meaning.symbol === owner) continue;
      const found = this.member(meaning.symbol, name, steps + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Finds a member in another file, for languages where a class may span several files. */
  #elsewhere(file: number, dotted: string): Ref | undefined {
    const { language, path } = this.code.files[file]!;
    if (language === 'c' || language === 'cpp') return this.code.anywhere(cFamily, dotted);
    if (language !== 'go' && language !== 'rust' && language !== 'c_sharp' && language !== 'ruby')
      return undefined;
    const beside = this.code.byFolder.get(folderOf(path)) ?? [];
    if (!this.steps.take(beside.length)) return undefined;
    return only(
      beside.flatMap((other) =>
        this.code.files[other]!.language === language ? (this.code.symbol(other, dotted) ?? []) : [],
      ),
    );
  }
}

function sameMeaning(one: Meaning, other: Meaning): boolean {
  if ('symbol' in one) return 'symbol' in other && one.symbol === other.symbol;
  if ('module' in one) return 'module' in other && one.module[0] === other.module[0];
  return (
    'constant' in other &&
    one.constant.file === other.constant.file &&
    one.constant.name === other.constant.name
  );
}
