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

/** Which rooms a room may look into, beside itself. The root of src/ (app, main), start and document wire everything and may see all. */
const mayUse: Record<string, readonly string[]> = {
  kernel: [],
  config: ['kernel'],
  logging: ['kernel'],
  watchdog: ['kernel', 'logging', 'services'],
  backup: ['kernel', 'config', 'database', 'services'],
  database: ['kernel'],
  http: ['kernel'],
  services: ['kernel', 'database'],
  features: ['kernel', 'database', 'services', 'http'],
};

const wiring = ['start', 'document'];

/** What a feature shows to the other features. */
const openFile = /\.(service|schemas|errors)\.js$/;

export interface Inspection {
  path: string;
  faults: Fault[];
  warnings: Fault[];
  /** The files of the repository that this one imports. */
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
  if (!target.startsWith('.')) return undefined;
  const resolved = posix.join(posix.dirname(path), target);
  const [from, fromRoom, fromFeature] = path.split('/');
  const [to, toRoom, toFeature] = resolved.split('/');
  if (from !== to) return judgeBorder(from ?? '', resolved);
  if (from !== 'src' || path.split('/').length === 2) return undefined;

  const room = fromRoom ?? '';
  if (wiring.includes(room)) return undefined;
  const allowed = mayUse[room];
  if (!allowed) return `lies in src/${room}, a room that architecture-rules.ts does not know`;
  if (room === 'features' && toRoom === 'features') {
    if (fromFeature === toFeature || openFile.test(resolved)) return undefined;
    return `reaches into the feature ${toFeature}: ask its service instead of ${posix.basename(resolved)}`;
  }
  if (toRoom === room || allowed.includes(toRoom ?? '')) return undefined;
  if (toRoom === 'config' && typeOnly && room !== 'kernel' && room !== 'http') return undefined;
  return `${room} must not import ${resolved}`;
}

/** The service, the sidecar, the dashboard, the client and the command line are programs of their own; what several share lies in packages/. */
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
