import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Paths are relative to the repository and use forward slashes. */
export interface Fault {
  path: string;
  line: number;
  message: string;
}

interface Import {
  target: string;
  typeOnly: boolean;
  offset: number;
}

interface SyntaxNode {
  type: string;
  start: number;
  [key: string]: unknown;
}

const longestFile = 450;

/** An exception that docs/adr/0036 justifies with measurements. */
const measuredException = 'src/platform/database/connection/known-shape-query.ts';

/** Each layer may import itself and those before it. Files at the root of src/ may import all of them. */
const LAYERS = ['kernel', 'platform', 'code', 'features', 'demo'];

export interface Inspection {
  path: string;
  faults: Fault[];
  warnings: Fault[];
  imports: string[];
}

export function inspectFile(path: string): Inspection {
  const source = readFileSync(path, 'utf8');
  const { program, errors } = parseSync(path, source);
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  const imports: string[] = [];
  const add = (list: Fault[], offset: number, message: string) =>
    list.push({ path, line: lineAt(offset), message });

  if (errors.length > 0) add(faults, 0, `cannot be parsed: ${errors[0]?.message}`);
  visit(program as unknown as SyntaxNode, (node) => {
    const imported = readImport(node);
    if (imported?.target.startsWith('.')) imports.push(sourceOf(path, imported.target));
    const misdirection = imported && judgeImport(path, imported);
    if (misdirection) add(faults, node.start, misdirection);
    const misuse = path.startsWith('src/') ? judgeUse(path, node) : undefined;
    if (misuse) add(faults, node.start, misuse);
    if (path.startsWith('src/') && readsDatabaseClock(node)) {
      add(warnings, node.start, 'SQL asks the database for the time; pass the clock as a parameter');
    }
  });
  const lines = source.split('\n').length;
  if (lines > longestFile && !path.includes('.generated.')) {
    add(warnings, source.length, `has ${lines} lines; ${longestFile} is plenty`);
  }
  return { path, faults, warnings, imports };
}

const sourceOf = (path: string, target: string) =>
  posix.join(posix.dirname(path), target).replace(/\.js(x?)$/, '.ts$1');

function visit(node: SyntaxNode, look: (node: SyntaxNode) => void): void {
  look(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof child.type === 'string') visit(child, look);
    }
  }
}

function readImport(node: SyntaxNode): Import | undefined {
  const source = node['source'] as SyntaxNode | null | undefined;
  const target = source?.['value'];
  if (typeof target !== 'string') return undefined;
  const specifiers = (node['specifiers'] ?? []) as SyntaxNode[];
  const kinds = specifiers.map((each) => each['importKind'] ?? each['exportKind']);
  const typeOnly =
    node['importKind'] === 'type' ||
    node['exportKind'] === 'type' ||
    node.type === 'TSImportType' ||
    (kinds.length > 0 && kinds.every((kind) => kind === 'type'));
  return { target, typeOnly, offset: node.start };
}

function judgeImport(path: string, { target, typeOnly }: Import): string | undefined {
  if (!target.startsWith('.')) return judgePackage(path, target);
  const resolved = posix.join(posix.dirname(path), target);
  const [from, fromLayer = '', fromFeature] = path.split('/');
  const [to, toLayer = '', toFeature] = resolved.split('/');
  if (from !== to) return judgeBorder(from ?? '', resolved);
  if (from !== 'src' || path.split('/').length === 2 || fromLayer === 'config') return undefined;

  if (toLayer === 'config') {
    return typeOnly && fromLayer !== 'kernel'
      ? undefined
      : `${fromLayer} may import the types of the configuration only`;
  }
  if (LAYERS.indexOf(fromLayer) < 0)
    return `lies in src/${fromLayer}, a folder that architecture-rules.ts does not know`;
  if (LAYERS.indexOf(toLayer) < 0 || LAYERS.indexOf(toLayer) > LAYERS.indexOf(fromLayer)) {
    return `${fromLayer} must not import ${resolved}`;
  }
  if (toLayer !== 'features') return undefined;
  if (fromLayer === 'demo' || fromFeature === toFeature) return judgeDepth(path, resolved);
  // A worker thread loads only the files that it runs, so it may import them directly.
  if (resolved === `src/features/${toFeature}/index.js` || path.includes('.worker.')) return undefined;
  return `reaches past src/features/${toFeature}/index.ts: export from there what other features need`;
}

/** Files at a feature's root compose its folders. A folder may import only the root's schemas and errors. */
function judgeDepth(path: string, resolved: string): string | undefined {
  const [, layer, feature, folder, file] = path.split('/');
  if (layer !== 'features' || !folder || !file) return undefined;
  const parts = resolved.split('/');
  if (parts.length !== 4 || /\.(schemas|errors)\.js$/.test(resolved)) return undefined;
  return `imports ${parts[3]} of the root of ${feature}: a folder uses its schemas and errors only`;
}

/** Any release may move a path that the package does not export. */
function judgePackage(path: string, target: string): string | undefined {
  if (!path.startsWith('src/')) return undefined;
  return /^(@[^/]+\/)?[^/@][^/]*\/(src|lib|dist|build)\b/.test(target)
    ? `imports ${target}, a private part of a package`
    : undefined;
}

/** The service, sidecar, dashboard, client and command line are separate programs that share packages/. */
function judgeBorder(from: string, resolved: string): string | undefined {
  const apart = ['src', 'sidecar', 'dashboard', 'client', 'cli', 'packages'];
  if (!apart.includes(from)) return undefined;
  if (resolved === 'openapi.json' || resolved === 'package.json') return undefined;
  if (resolved.startsWith('packages/') && from !== 'client') return undefined;
  if ((from === 'dashboard' || from === 'cli') && resolved.startsWith('client/')) return undefined;
  return `${from} must not import ${resolved}`;
}

function judgeUse(path: string, node: SyntaxNode): string | undefined {
  if (path !== 'src/config/config.ts' && readsEnvironment(node))
    return 'process.env is read in src/config/config.ts only';
  if (!path.startsWith('src/kernel/') && readsSystemClock(node)) {
    return 'the time comes from the clock in the kernel';
  }
  if (node.type === 'NewExpression' && isName(node['callee'], 'Function')) {
    return '`new Function` makes code that nothing checks';
  }
  if (path === measuredException) return undefined;
  const property = node.type === 'MemberExpression' ? (node['property'] as SyntaxNode) : undefined;
  const named = property?.type === 'Identifier' ? property['name'] : undefined;
  if (typeof named === 'string' && /^_[a-z]/i.test(named)) return `${named} is a private part of a package`;
  return undefined;
}

const isName = (node: unknown, name: string) => {
  const candidate = node as SyntaxNode | undefined;
  if (candidate?.type === 'Identifier') return candidate['name'] === name;
  return candidate?.type === 'Literal' && candidate['value'] === name;
};

function readsEnvironment(node: SyntaxNode): boolean {
  if (node.type === 'MemberExpression') {
    return isName(node['object'], 'process') && isName(node['property'], 'env');
  }
  if (node.type !== 'ImportDeclaration') return false;
  const source = (node['source'] as SyntaxNode)['value'];
  const specifiers = node['specifiers'] as SyntaxNode[];
  return (
    (source === 'node:process' || source === 'process') &&
    specifiers.some((specifier) => isName(specifier['imported'], 'env'))
  );
}

function readsSystemClock(node: SyntaxNode): boolean {
  const callee = node['callee'] as SyntaxNode | undefined;
  if (node.type === 'NewExpression') {
    return isName(callee, 'Date') && (node['arguments'] as unknown[]).length === 0;
  }
  if (node.type === 'CallExpression' && isName(callee, 'Date')) return true;
  return (
    node.type === 'MemberExpression' && isName(node['object'], 'Date') && isName(node['property'], 'now')
  );
}

function readsDatabaseClock(node: SyntaxNode): boolean {
  if (node.type !== 'TemplateElement') return false;
  const text = (node['value'] as { raw: string }).raw;
  return /\bnow\(\)|\bcurrent_timestamp\b|\bclock_timestamp\(\)/i.test(text);
}

/** Groups imports by feature and by folder within a feature, because neither may form a cycle. */
export function foldersOf(graph: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const folders = new Map<string, Set<string>>();
  for (const [path, imports] of graph) {
    for (const depth of [3, 4]) {
      const folder = folderOf(path, depth);
      if (!folder) continue;
      const targets = folders.get(folder) ?? new Set<string>();
      folders.set(folder, targets);
      for (const each of imports) {
        const target = folderOf(each, depth);
        if (target && target !== folder && posix.dirname(target) === posix.dirname(folder))
          targets.add(target);
      }
    }
  }
  return new Map([...folders].map(([folder, targets]) => [folder, [...targets]]));
}

/** For example `src/features/boards` at depth 3 and `src/features/boards/cards` at depth 4. */
function folderOf(path: string, depth: number): string | undefined {
  const parts = path.split('/');
  if (parts[1] !== 'features' || parts.length <= depth || path.includes('.worker.')) return undefined;
  return parts.slice(0, depth).join('/');
}
