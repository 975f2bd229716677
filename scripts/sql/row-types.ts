import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readType } from '../generate-rows.js';
import type { Described } from './describe.js';
import type { Statement } from './statements.js';

/** A statement with a declared row type, and what PostgreSQL says its rows are. */
export interface TypedStatement extends Statement {
  rowType: { start: number; end: number };
  columns: Described[];
}

/** What of a declared row does not fit the answer; `never` when all of it does. */
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

/**
 * Compares declared row types with described ones by letting the compiler judge a copy of the sources, in which every
 * declaration carries what the database said. Answers the compiler's complaints, with the places of the real files.
 */
export function compareRowTypes(statements: TypedStatement[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-check-sql-'));
  try {
    cpSync('src', join(folder, 'src'), {
      recursive: true,
      filter: (path) => !/\.(test|test-support)\.ts$/.test(path),
    });
    for (const name of ['package.json', 'tsconfig.json']) cpSync(name, join(folder, name));
    symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'src', 'sql-comparison.d.ts'), COMPARISON);
    for (const path of new Set(statements.map((statement) => statement.path))) {
      const own = statements.filter((statement) => statement.path === path);
      writeFileSync(join(folder, path), annotate(readFileSync(path, 'utf8'), own));
    }
    return runCompiler(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function annotate(source: string, statements: TypedStatement[]): string {
  let text = source;
  for (const { rowType, columns } of statements.toSorted((a, b) => b.rowType.start - a.rowType.start)) {
    const declared = source.slice(rowType.start, rowType.end);
    const answered = columns.map(renderColumn).join(' ');
    const judged = `(${declared}) & SqlFits<SqlMisfit<${declared}, { ${answered} }>>`;
    text = text.slice(0, rowType.start) + judged + text.slice(rowType.end);
  }
  return text;
}

const renderColumn = ({ name, type, nullable }: Described) =>
  `${JSON.stringify(name)}: { type: ${readType(type)}; nullable: ${nullable === true} };`;

function runCompiler(folder: string): string[] {
  const compiler = resolve('node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, status } = spawnSync(compiler, ['--noEmit', '--pretty', 'false', '-p', '.'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return [];
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('src/'))
    .map((line) => line.replace(/^([^(]+)\((\d+),\d+\): error TS\d+: /, '$1:$2 '))
    .map((line) =>
      line.replace(
        /^(\S+) Type '(.*)' does not satisfy the constraint 'never'\.$/,
        '$1 the declared row: $2',
      ),
    );
}
