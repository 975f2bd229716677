import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../src/kernel/log.js';
import { findQuickFolder, startScratchPostgres } from '../src/platform/database/embedded/embedded-scratch.js';
import { migrate } from '../src/platform/database/schema/migrate.js';
import { createDescriber, type Described } from './sql/describe.js';
import { judgeMigration } from './sql/migration-rules.js';
import { judgeTypes, type TypedStatement } from './sql/row-types.js';
import { listStatements, type Statement } from './sql/statements.js';

/** Statements whose text cannot be derived from the source, with the reason. */
const unwritten: { path: string; reason: string }[] = [
  {
    path: 'src/platform/database/schema/workspace-rows.ts',
    reason:
      'reads and removes rows of whichever tables the catalog names, and builds the conditions for them',
  },
  {
    path: 'src/features/boards/cards/chosen-fields.store.ts',
    reason: 'reads whichever fields of a card a caller names',
  },
  {
    path: 'src/demo/boards/demo.store.ts',
    reason: 'fills three tables with rows of their own shape',
  },
  {
    path: 'src/demo/desk/workstations.ts',
    reason: 'rewrites whichever columns the story of a demo desk names',
  },
];

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => join('src', path).replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .sort();

const faults: string[] = [];
const typed: TypedStatement[] = [];
let count = 0;

const server = await startScratchPostgres(silentLog, await findQuickFolder());
try {
  await migrate({ connection: server.connection, log: silentLog });
  const describer = await createDescriber(server.connection);
  for (const path of files) {
    for (const statement of await listStatements(path)) {
      count += 1;
      const columns = await describeAll(statement, describer.describe);
      if (columns && statement.rowType) typed.push({ ...statement, rowType: statement.rowType, columns });
    }
  }
  await describer.close();
} finally {
  await server.stop();
}
faults.push(...judgeTypes(typed));

const migrations = 'src/platform/database/migrations';
for (const name of readdirSync(migrations))
  faults.push(...judgeMigration(name, readFileSync(join(migrations, name), 'utf8')));

for (const fault of faults) console.error(fault);
console.log(
  `${count} statements prepared, ${typed.length} row types compared with them, ${faults.length} faults`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Returns the columns of the first text, or undefined if a text is not a valid statement. */
async function describeAll(
  { path, line, texts, fault }: Statement,
  describe: (text: string) => Promise<Described[]>,
): Promise<Described[] | undefined> {
  if (fault) {
    if (!unwritten.some((each) => each.path === path)) faults.push(`${path}:${line} ${fault}`);
    return undefined;
  }
  try {
    const answers = [];
    for (const text of texts) answers.push(toleratingNulls(await describe(text), text));
    return answers[0];
  } catch (error) {
    faults.push(`${path}:${line} ${(error as Error).message}`);
    return undefined;
  }
}

/** A column that the statement's condition requires to be non-null is not nullable in the result. */
function toleratingNulls(columns: Described[], text: string): Described[] {
  return columns.map((column) => {
    if (!column.nullable) return column;
    const asked = new RegExp(String.raw`\b${column.column}\s+(is not null|=|<|>|in\b)`, 'i').test(text);
    return asked ? { ...column, nullable: undefined } : column;
  });
}
