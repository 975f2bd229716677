import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A node of the syntax tree. Its other members depend on its type. */
export interface Syntax {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** A source file: its syntax tree, top-level declarations and imports. */
export interface SourceFile {
  path: string;
  source: string;
  program: Syntax;
  declarations: Map<string, Syntax>;
  imports: Map<string, { path: string; name: string }>;
}

const files = new Map<string, SourceFile>();

export function readSource(path: string): SourceFile {
  const known = files.get(path);
  if (known) return known;
  const source = readFileSync(path, 'utf8');
  const program = parseSync(path, source).program as unknown as Syntax;
  const file: SourceFile = { path, source, program, declarations: new Map(), imports: new Map() };
  for (const statement of program['body'] as Syntax[]) readTopLevel(file, statement);
  files.set(path, file);
  return file;
}

function readTopLevel(file: SourceFile, statement: Syntax): void {
  if (statement.type === 'ImportDeclaration') {
    readImports(file, statement);
    return;
  }
  const declared = (statement['declaration'] as Syntax | null | undefined) ?? statement;
  for (const [name, value] of listDeclared(declared)) file.declarations.set(name, value);
}

function readImports(file: SourceFile, statement: Syntax): void {
  const target = (statement['source'] as Syntax)['value'] as string;
  if (!target.startsWith('.')) return;
  const path = posix.join(posix.dirname(file.path), target).replace(/\.js$/, '.ts');
  for (const specifier of statement['specifiers'] as Syntax[]) {
    const imported = specifier['imported'] as Syntax | undefined;
    if (imported) file.imports.set(nameOf(specifier['local']), { path, name: nameOf(imported) });
  }
}

/** The names that a statement declares, with their values. */
export function listDeclared(statement: Syntax): [string, Syntax][] {
  if (statement.type === 'FunctionDeclaration') return [[nameOf(statement['id']), statement]];
  if (statement.type !== 'VariableDeclaration') return [];
  return (statement['declarations'] as Syntax[]).flatMap((each) => {
    const id = each['id'] as Syntax;
    const value = each['init'] as Syntax | null;
    return id.type === 'Identifier' && value ? [[nameOf(id), value] as [string, Syntax]] : [];
  });
}

export const nameOf = (node: unknown): string => ((node as Syntax | undefined)?.['name'] as string) ?? '';

export const lineAt = (file: SourceFile, offset: number): number =>
  file.source.slice(0, offset).split('\n').length;

export function childrenOf(node: Syntax): Syntax[] {
  const children: Syntax[] = [];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof (child as Syntax).type === 'string') {
        children.push(child as Syntax);
      }
    }
  }
  return children;
}

export const isSqlTemplate = (node: Syntax | undefined): boolean =>
  node?.type === 'TaggedTemplateExpression' && nameOf(node['tag']) === 'sql';
