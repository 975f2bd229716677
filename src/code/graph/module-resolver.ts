import { isObject } from '../../kernel/is-object.js';

export interface FileSet {
  has(path: string): boolean;
  manifest(path: string): string | undefined;
  manifests(): Iterable<string>;
}

interface PathRules {
  /** Folder that `paths` and bare names are relative to. */
  base: string;
  hasBaseUrl: boolean;
  patterns: [pattern: string, targets: string[]][];
}

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
const SOURCE_OF_BUILT: Record<string, string[]> = {
  '.js': ['.ts', '.tsx', '.d.ts', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
};
const CONDITIONS = ['source', 'development', 'import', 'module', 'node', 'types', 'default', 'require'];

/**
 * Resolves TypeScript and JavaScript imports from the files of a commit, without a checkout or installed
 * packages.
 */
export class ModuleResolver {
  readonly #packages = new Map<string, string>();
  readonly #json = new Map<string, JsonObject | undefined>();
  readonly #rules = new Map<string, PathRules | null>();
  readonly #resolved = new Map<string, string | undefined>();

  constructor(readonly files: FileSet) {
    for (const path of files.manifests()) {
      if (path !== 'package.json' && !path.endsWith('/package.json')) continue;
      const name = this.#read(path)?.['name'];
      if (typeof name === 'string' && !this.#packages.has(name)) this.#packages.set(name, folderOf(path));
    }
  }

  resolve(from: string, specifier: string): string | undefined {
    const folder = folderOf(from);
    const key = `${folder}\n${specifier}`;
    if (!this.#resolved.has(key)) this.#resolved.set(key, this.#resolve(folder, specifier.split('?', 1)[0]!));
    return this.#resolved.get(key);
  }

  #resolve(folder: string, specifier: string): string | undefined {
    if (/^\.{1,2}(\/|$)/.test(specifier)) return this.#asFileOrFolder(joinPath(folder, specifier));
    if (specifier.startsWith('/') || /^[a-z]+:/.test(specifier)) return undefined;
    if (specifier.startsWith('#')) return this.#ownImport(folder, specifier);
    return this.#byPathRules(folder, specifier) ?? this.#inPackage(specifier);
  }

  #asFileOrFolder(path: string | undefined): string | undefined {
    if (path === undefined) return undefined;
    return this.#asFile(path) ?? this.#asFolder(path);
  }

  #asFile(path: string): string | undefined {
    if (path !== '' && this.files.has(path)) return path;
    const extension = /\.[mc]?jsx?$/.exec(path)?.[0];
    for (const source of extension ? (SOURCE_OF_BUILT[extension] ?? []) : []) {
      const candidate = path.slice(0, -extension!.length) + source;
      if (this.files.has(candidate)) return candidate;
    }
    return path === ''
      ? undefined
      : EXTENSIONS.map((ending) => path + ending).find((candidate) => this.files.has(candidate));
  }

  #asFolder(path: string): string | undefined {
    const manifest = this.#read(path === '' ? 'package.json' : `${path}/package.json`);
    const named = manifest && this.#entry(path, manifest);
    return (
      named ??
      EXTENSIONS.map((ending) => joinPath(path, `index${ending}`)!).find((candidate) =>
        this.files.has(candidate),
      )
    );
  }

  /** Returns the entry file of a package. For build output it looks for the matching source file. */
  #entry(folder: string, manifest: JsonObject): string | undefined {
    for (const field of ['source', 'module', 'main', 'types']) {
      const value = manifest[field];
      const found = typeof value === 'string' ? this.#builtOrSource(folder, value) : undefined;
      if (found) return found;
    }
    return undefined;
  }

  #builtOrSource(folder: string, target: string): string | undefined {
    const path = joinPath(folder, target);
    if (path === undefined) return undefined;
    const direct = this.#asFile(path);
    if (direct) return direct;
    const inside = folder === '' ? path : path.slice(folder.length + 1);
    const source = inside.replace(/^(dist|lib|build|out|esm|cjs)\/(?:(?:esm|cjs|src)\/)?/, 'src/');
    return source === inside ? undefined : this.#asFile(joinPath(folder, source)!);
  }

  #inPackage(specifier: string): string | undefined {
    const parts = specifier.split('/');
    const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
    const folder = this.#packages.get(name);
    if (folder === undefined) return undefined;
    const rest = specifier.slice(name.length + 1);
    const manifest = this.#read(joinPath(folder, 'package.json')!) ?? {};
    if (manifest['exports'] !== undefined) {
      const target = this.#exported(folder, manifest['exports'], rest === '' ? '.' : `./${rest}`);
      if (target) return target;
    }
    if (rest === '') return this.#asFolder(folder) ?? this.#asFolder(joinPath(folder, 'src')!);
    return (
      this.#asFileOrFolder(joinPath(folder, rest)) ?? this.#asFileOrFolder(joinPath(folder, `src/${rest}`))
    );
  }

  #exported(folder: string, exports: unknown, subpath: string): string | undefined {
    const table = asObject(exports);
    const hasSubpaths = table && Object.keys(table).some((key) => key.startsWith('.'));
    if (!hasSubpaths) return subpath === '.' ? this.#target(folder, exports, '') : undefined;
    if (subpath in table) return this.#target(folder, table[subpath], '');
    for (const [pattern, target] of Object.entries(table)) {
      const star = matchStar(pattern, subpath);
      if (star !== undefined) return this.#target(folder, target, star);
    }
    return undefined;
  }

  #target(folder: string, target: unknown, star: string): string | undefined {
    if (typeof target === 'string') return this.#builtOrSource(folder, target.replaceAll('*', star));
    if (Array.isArray(target)) {
      for (const item of target) {
        const found = this.#target(folder, item, star);
        if (found) return found;
      }
      return undefined;
    }
    const conditions = asObject(target);
    if (!conditions) return undefined;
    for (const condition of CONDITIONS) {
      const found = condition in conditions ? this.#target(folder, conditions[condition], star) : undefined;
      if (found) return found;
    }
    return undefined;
  }

  #ownImport(folder: string, specifier: string): string | undefined {
    for (
      let place: string | undefined = folder;
      place !== undefined;
      place = place === '' ? undefined : folderOf(place)
    ) {
      const imports = asObject(this.#read(joinPath(place, 'package.json')!)?.['imports']);
      if (!imports) continue;
      for (const [pattern, target] of Object.entries(imports)) {
        const star = pattern === specifier ? '' : matchStar(pattern, specifier);
        if (star !== undefined) return this.#target(place, target, star);
      }
      return undefined;
    }
    return undefined;
  }

  #byPathRules(folder: string, specifier: string): string | undefined {
    const rules = this.#rulesFor(folder);
    if (!rules) return undefined;
    for (const [pattern, targets] of rules.patterns) {
      const star = pattern === specifier ? '' : matchStar(pattern, specifier);
      if (star === undefined) continue;
      for (const target of targets) {
        const found = this.#asFileOrFolder(joinPath(rules.base, target.replace('*', star)));
        if (found) return found;
      }
    }
    return rules.hasBaseUrl ? this.#asFileOrFolder(joinPath(rules.base, specifier)) : undefined;
  }

  #rulesFor(folder: string): PathRules | null {
    const known = this.#rules.get(folder);
    if (known !== undefined) return known;
    let rules: PathRules | null = null;
    for (const name of ['tsconfig.json', 'jsconfig.json'])
      rules ??= this.#configRules(joinPath(folder, name)!, 0);
    if (!rules && folder !== '') rules = this.#rulesFor(folderOf(folder));
    this.#rules.set(folder, rules);
    return rules;
  }

  /** Returns the `paths` of a configuration, also when it inherits or references them, or null. */
  #configRules(path: string, depth: number): PathRules | null {
    const config = this.#read(path);
    if (!config || depth > 8) return null;
    const folder = folderOf(path);
    const options = asObject(config['compilerOptions']) ?? {};
    const paths = asObject(options['paths']);
    const baseUrl = typeof options['baseUrl'] === 'string' ? joinPath(folder, options['baseUrl']) : undefined;
    if (paths || baseUrl !== undefined) {
      const patterns = Object.entries(paths ?? {}).map(([pattern, targets]): [string, string[]] => [
        pattern,
        Array.isArray(targets)
          ? targets.filter((target): target is string => typeof target === 'string')
          : [],
      ]);
      patterns.sort(([one], [other]) => other.length - one.length);
      return { base: baseUrl ?? folder, hasBaseUrl: baseUrl !== undefined, patterns };
    }
    const references = Array.isArray(config['references']) ? config['references'] : [];
    const others = [
      config['extends'],
      ...references.map((reference) => asObject(reference)?.['path']),
    ].flat();
    for (const other of others) {
      const rules = typeof other === 'string' ? this.#linkedConfig(folder, other, depth) : null;
      if (rules) return rules;
    }
    return null;
  }

  #linkedConfig(folder: string, other: string, depth: number): PathRules | null {
    const place = other.startsWith('.') ? joinPath(folder, other) : this.#packageFile(other);
    if (place === undefined) return null;
    const candidates = [place, `${place}.json`, `${place}/tsconfig.json`];
    const found = candidates.find((candidate) => this.files.manifest(candidate) !== undefined);
    return found ? this.#configRules(found, depth + 1) : null;
  }

  #packageFile(specifier: string): string | undefined {
    const parts = specifier.split('/');
    const cut = specifier.startsWith('@') ? 2 : 1;
    const folder = this.#packages.get(parts.slice(0, cut).join('/'));
    return folder === undefined ? undefined : normalizePath(`${folder}/${parts.slice(cut).join('/')}`);
  }

  #read(path: string): JsonObject | undefined {
    if (!this.#json.has(path)) {
      const text = this.files.manifest(path);
      this.#json.set(path, text === undefined ? undefined : asObject(parseLooseJson(text)));
    }
    return this.#json.get(path);
  }
}

/** Returns the text that `*` matches, or undefined. */
function matchStar(pattern: string, text: string): string | undefined {
  const star = pattern.indexOf('*');
  if (star < 0) return undefined;
  const before = pattern.slice(0, star);
  const after = pattern.slice(star + 1);
  const fits = text.startsWith(before) && text.endsWith(after) && text.length >= before.length + after.length;
  return fits ? text.slice(before.length, text.length - after.length) : undefined;
}

export function parseLooseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(withoutTrailingCommas(withoutComments(text.replace(/^\uFEFF/, ''))));
    } catch {
      return undefined;
    }
  }
}

/** An unclosed string or comment extends to the end of the text, which keeps the match linear. */
const commentOrString = /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const commaOrString = /"(?:[^"\\]|\\.)*"?|,(?=\s*[}\]])/g;

function withoutComments(text: string): string {
  return text.replace(commentOrString, (match) => (match.startsWith('"') ? match : ' '));
}

function withoutTrailingCommas(text: string): string {
  return text.replace(commaOrString, (match) => (match.startsWith('"') ? match : ''));
}

export type JsonObject = Record<string, unknown>;

export const asObject = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);

/** Turns `a/./b/../c` into `a/c`. Returns undefined for a path outside the repository. */
export function normalizePath(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export function joinPath(folder: string, path: string): string | undefined {
  return normalizePath(folder === '' ? path : `${folder}/${path}`);
}
