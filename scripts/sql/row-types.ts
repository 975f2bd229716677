import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readType } from '../generate-rows.js';
import type { Described } from './describe.js';
import type { Statement } from './statements.js';

/** A statement with a declared row type, and the columns that PostgreSQL reports. */
export interface TypedStatement extends Statement {
  rowType: { start: number; end: number };
  columns: Described[];
}

/** Compares a declared row with the result; `never` if they match. */
const COMPARISON = `
type SqlMisfit<Declared, Answer> =
  | { [K in keyof Declared & string]-?: K extends keyof Answer ? SqlColumn<K, Exclude<Declared[K], undefined>, Answer[K]> : undefined extends Declared[K] ? never : \`\${K} is not answered\` }[keyof Declared & string]
  | { [K in keyof Answer & string]: K extends keyof Declared ? never : \`\${K} is answered and not declared\` }[keyof Answer & string];
type SqlColumn<K extends string, Declared, Answer> = Answer extends { type: infer Type; nullable: infer Nullable }
  ? [Declared] extends [Type | null]
    ? [Nullable, null] extends [true, Declared] ? never : Nullable extends true ? \`\${K} may be null\` : never
    : \`\${K} has another type\`
  : never;
type SqlFits<Misfit extends never> = unknown;
`;

/** Kept between checks, so that the compiler can skip unchanged files. */
const COPY = join('dist', 'check');
const TREES = ['src', 'packages', 'tests', 'bench', 'scripts', 'sidecar', 'client', 'cli', 'dashboard'];

/**
 * Compiles a copy of the sources that compares each declared row type with the database's answer: one run is
 * twice as fast as checking program and row types separately. Returns the errors with the positions of the
 * real files.
 */
export function judgeTypes(statements: TypedStatement[]): string[] {
  const paths = listSources('.');
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    const ofFile = statements.filter((statement) => statement.path === path);
    mkdirSync(join(COPY, dirname(path)), { recursive: true });
    writeFileSync(join(COPY, path), annotate(text, ofFile));
  }
  for (const path of listSources(COPY)) if (!paths.includes(path)) rmSync(join(COPY, path));
  writeFileSync(join(COPY, 'src', 'sql-comparison.d.ts'), COMPARISON);
  if (!existsSync(join(COPY, 'node_modules')))
    symlinkSync(realpathSync('node_modules'), join(COPY, 'node_modules'));
  return runCompiler(COPY);
}

function listSources(root: string): string[] {
  const loose = readdirSync(root).filter((name) => /\.ts$|^(?:package|tsconfig)\.json$/.test(name));
  const inTrees = TREES.filter((tree) => existsSync(join(root, tree))).flatMap((tree) =>
    readdirSync(join(root, tree), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:tsx?|json)$/.test(path) && !/(?:^|\/)(?:node_modules|dist)\//.test(path))
      .map((path) => join(tree, path)),
  );
  return [...loose, ...inTrees];
}

function annotate(source: string, statements: TypedStatement[]): string {
  let text = source;
  for (const { rowType, columns } of statements.toSorted((a, b) => b.rowType.start - a.rowType.start)) {
    const declared = source.slice(rowType.start, rowType.end);
    const answered = columns.map(renderColumn).join(' ');
    // Kept on the same lines, so that errors have the right line numbers.
    const again = declared.includes('//') ? declared : declared.replace(/\s*\n\s*/g, ' ');
    const judged = `(${declared}) & SqlFits<SqlMisfit<${again}, { ${answered} }>>`;
    text = text.slice(0, rowType.start) + judged + text.slice(rowType.end);
  }
  return text;
}

const renderColumn = ({ name, type, nullable }: Described) =>
  `${JSON.stringify(name)}: { type: ${readType(type)}; nullable: ${nullable === true} };`;

function runCompiler(folder: string): string[] {
  const compiler = resolve('node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, status } = spawnSync(
    compiler,
    [
      ...['--noEmit', '--pretty', 'false', '-p', '.'],
      // Several checkers repeat each other's work, and take twice as long with few cores.
      '--singleThreaded',
      ...['--incremental', '--tsBuildInfoFile', 'types.tsbuildinfo'],
    ],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status === 0) return [];
  const complaints = stdout.split('\n').filter((line) => line.trim() !== '');
  return (complaints.length > 0 ? complaints : [`The compiler ended with ${status} and said nothing`])
    .map((line) => line.replace(/^([^(]+)\((\d+),\d+\): error TS\d+: /, '$1:$2 '))
    .map((line) =>
      line.replace(
        /^(\S+) Type '(.*)' does not satisfy the constraint 'never'\.$/,
        '$1 the declared row: $2',
      ),
    );
}
