import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSource } from './sql/syntax.js';
import { listWrites } from './sql/tables.js';
import { columnOwners, sqlOutsideStores, tableOwners, writesAnyTable } from './table-owners.js';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => join('src', path).replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .sort();

const ownerOf = new Map(
  Object.entries(tableOwners).flatMap(([folder, tables]) => tables.map((table) => [table, folder] as const)),
);
const isStore = (path: string) =>
  path.endsWith('.store.ts') || sqlOutsideStores.some((each) => path.startsWith(each.path));

const faults: string[] = [];
for (const path of files) {
  const { writes, sqlAt } = listWrites(readSource(path));
  if (sqlAt.length > 0 && !isStore(path)) {
    faults.push(`${path}:${sqlAt[0]} holds SQL (${sqlAt.length}×): it stands in *.store.ts only`);
  }
  for (const { table, line, columns } of writes) {
    const owner = ownerOf.get(table);
    if (owner && !path.startsWith(`src/${owner}/`) && !path.startsWith(writesAnyTable)) {
      faults.push(`${path}:${line} writes ${table}: ask the service of src/${owner}, which owns it`);
    }
    const kept = columnOwners.find((each) => each.table === table && !path.startsWith(writesAnyTable));
    const column = kept && kept.path !== path && columns.find((name) => kept.columns.includes(name));
    if (column) faults.push(`${path}:${line} sets ${table}.${column}, which ${kept.path} alone does`);
  }
}

const rows = readFileSync('src/platform/database/schema/rows.generated.ts', 'utf8');
const tables = rows.slice(rows.indexOf('export interface Tables {')).matchAll(/^ {2}(\w+): \{/gm);
for (const [, table] of tables) {
  if (!ownerOf.has(table!)) faults.push(`scripts/table-owners.ts names no owner of ${table}`);
}

for (const fault of faults) console.error(fault);
console.log(`${files.length} files, ${ownerOf.size} tables, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
