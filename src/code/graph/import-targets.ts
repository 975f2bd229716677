import type { ImportFact } from '../parsing/facts.js';
import type { CodeBase } from './code-base.js';
import { folderOf, joinPath, ModuleResolver } from './module-resolver.js';

export interface ImportTarget {
  files: number[];
  scope?: string;
  /** Whether the files together form one module, such as a Go package. */
  isPackage?: boolean;
}

const NOTHING: ImportTarget = { files: [] };

export class ImportTargets {
  readonly #modules: ModuleResolver;
  readonly #goModules: [module: string, folder: string][] = [];
  readonly #goFolders = new Map<string, number[]>();
  readonly #crates = new Map<string, string>();

  constructor(readonly code: CodeBase) {
    const manifest = (path: string) => {
      const file = code.byPath.get(path);
      return file === undefined ? undefined : code.facts(file)?.manifest;
    };
    const manifests = code.files.filter((file) => file.facts?.manifest !== undefined);
    this.#modules = new ModuleResolver({
      has: (path) => code.byPath.has(path),
      manifest,
      manifests: () => manifests.map((file) => file.path),
    });
    for (const { path, facts } of manifests) {
      const module =
        /(^|\/)go\.mod$/.test(path) && /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(facts!.manifest!)?.[1];
      if (module) this.#goModules.push([module, folderOf(path)]);
      const crate =
        /(^|\/)Cargo\.toml$/.test(path) &&
        /\[package\][^[]*?\bname\s*=\s*"([^"]+)"/s.exec(facts!.manifest!)?.[1];
      if (crate) this.#crates.set(crate.replaceAll('-', '_'), folderOf(path));
    }
    this.#goModules.sort(([one], [other]) => other.length - one.length);
  }

  find(file: number, fact: ImportFact): ImportTarget {
    switch (this.code.files[file]!.language) {
      case 'javascript':
        return this.#one(this.#modules.resolve(this.code.path(file), fact.source));
      case 'python':
        return this.#one(this.pythonModule(file, fact.source));
      case 'go':
        return this.#goPackage(fact.source);
      case 'rust':
        return this.#one(
          fact.form === 'module' ? this.#rustChild(file, fact.source) : this.rustModule(file, fact.source),
        );
      case 'java':
      case 'c_sharp':
        return { files: [], scope: fact.source };
      case 'php':
        return fact.form === 'relative'
          ? this.#one(this.#relative(file, fact.source))
          : { files: [], scope: fact.source };
      case 'ruby':
        return this.#one(this.#rubyFile(file, fact));
      case 'c':
      case 'cpp':
        return this.#one(this.#header(file, fact.source));
      default:
        return NOTHING;
    }
  }

  #one(path: string | undefined): ImportTarget {
    const file = path === undefined ? undefined : this.code.byPath.get(path);
    return file === undefined ? NOTHING : { files: [file] };
  }

  #firstOf(paths: (string | undefined)[]): string | undefined {
    return paths.find((path) => path !== undefined && this.code.byPath.has(path));
  }

  /** Looks up absolute names at the root, in `src` and `lib`, and in the folders above the file. */
  pythonModule(file: number, source: string): string | undefined {
    const dots = /^\.*/.exec(source)![0].length;
    const rest = source.slice(dots).replaceAll('.', '/');
    let folder = folderOf(this.code.path(file));
    if (dots > 0) {
      for (let step = 1; step < dots; step++) folder = folderOf(folder);
      return this.#pythonIn(folder, rest);
    }
    const starts = ['', 'src', 'lib'];
    for (let place = folder; place !== ''; place = folderOf(place)) starts.push(place);
    for (const start of starts) {
      const found = rest === '' ? undefined : this.#pythonIn(start, rest);
      if (found) return found;
    }
    return undefined;
  }

  #pythonIn(folder: string, rest: string): string | undefined {
    const path = joinPath(folder, rest);
    if (path === undefined) return undefined;
    const init = joinPath(path, '__init__.py');
    return this.#firstOf(rest === '' ? [init] : [`${path}.py`, init, `${path}.pyi`]);
  }

  #goPackage(source: string): ImportTarget {
    for (const [module, root] of this.#goModules) {
      if (source !== module && !source.startsWith(`${module}/`)) continue;
      const folder = joinPath(root, source.slice(module.length));
      return { files: this.#goFiles(folder ?? ''), isPackage: true };
    }
    return NOTHING;
  }

  #goFiles(folder: string): number[] {
    const known = this.#goFolders.get(folder);
    if (known) return known;
    const files = (this.code.byFolder.get(folder) ?? []).filter((candidate) => {
      const path = this.code.path(candidate);
      return path.endsWith('.go') && !path.endsWith('_test.go');
    });
    this.#goFolders.set(folder, files);
    return files;
  }

  /**
   * `mod x;` is `x.rs` or `x/mod.rs`: next to a crate root or `mod.rs`, otherwise in a folder named after the
   * file.
   */
  #rustChild(file: number, name: string): string | undefined {
    const folder = this.#rustFolder(this.code.path(file));
    return this.#firstOf([joinPath(folder, `${name}.rs`), joinPath(folder, `${name}/mod.rs`)]);
  }

  #rustFolder(path: string): string {
    const isRoot = /(^|\/)(mod|lib|main)\.rs$/.test(path);
    return isRoot ? folderOf(path) : path.replace(/\.rs$/, '');
  }

  /** Resolves paths such as `crate::a::b`, `super::x`, `self` or another crate of the Cargo workspace. */
  rustModule(file: number, source: string): string | undefined {
    const parts = source === '' ? [] : source.split('::');
    let path = this.code.path(file);
    const first = parts[0];
    if (first === undefined) return undefined;
    if (first === 'crate') path = this.#crateRoot(path) ?? path;
    else if (first === 'super') path = this.#rustParent(path) ?? path;
    else if (first !== 'self') {
      const crate = this.#crates.get(first);
      const child = this.#rustChild(file, first);
      if (crate !== undefined)
        path = this.#firstOf([joinPath(crate, 'src/lib.rs'), joinPath(crate, 'src/main.rs')]) ?? path;
      else if (child) path = child;
      else return undefined;
    }
    for (const part of parts.slice(1)) {
      const from = this.code.byPath.get(path);
      const next =
        from === undefined
          ? undefined
          : part === 'super'
            ? this.#rustParent(path)
            : this.#rustChild(from, part);
      if (!next) return undefined;
      path = next;
    }
    return path;
  }

  #crateRoot(path: string): string | undefined {
    for (let folder = folderOf(path); ; folder = folderOf(folder)) {
      const root = this.#firstOf([joinPath(folder, 'lib.rs'), joinPath(folder, 'main.rs')]);
      if (root) return root;
      if (folder === '') return undefined;
    }
  }

  #rustParent(path: string): string | undefined {
    const isFolderModule = path.endsWith('/mod.rs');
    const folder = isFolderModule ? folderOf(folderOf(path)) : folderOf(path);
    return this.#firstOf([
      joinPath(folder, 'mod.rs'),
      folder === '' ? undefined : `${folder}.rs`,
      joinPath(folder, 'lib.rs'),
      joinPath(folder, 'main.rs'),
    ]);
  }

  #relative(file: number, source: string): string | undefined {
    return this.#firstOf([joinPath(folderOf(this.code.path(file)), source), joinPath('', source)]);
  }

  #rubyFile(file: number, fact: ImportFact): string | undefined {
    const name = fact.source.endsWith('.rb') ? fact.source : `${fact.source}.rb`;
    if (fact.form === 'relative') return this.#firstOf([joinPath(folderOf(this.code.path(file)), name)]);
    const roots = ['', 'lib', 'app', 'app/models', 'app/services', 'src'];
    const direct = this.#firstOf(roots.map((root) => joinPath(root, name)));
    const ending = direct ? undefined : this.code.endingWith(`lib/${name}`);
    return direct ?? (ending === undefined ? undefined : this.code.path(ending));
  }

  #header(file: number, source: string): string | undefined {
    const direct = this.#firstOf([
      joinPath(folderOf(this.code.path(file)), source),
      ...['', 'include', 'src', 'lib', 'inc'].map((root) => joinPath(root, source)),
    ]);
    const ending = direct ? undefined : this.code.endingWith(source);
    return direct ?? (ending === undefined ? undefined : this.code.path(ending));
  }
}
