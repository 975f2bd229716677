import type pg from 'pg';

interface Column {
  table_name: string;
  column_name: string;
  type_name: string;
  nullable: boolean;
  has_default: boolean;
  generated: string;
  identity: string;
}

const COLUMNS = `
  select c.relname as table_name,
         a.attname as column_name,
         coalesce(base.typname, t.typname) as type_name,
         not a.attnotnull as nullable,
         a.atthasdef as has_default,
         a.attgenerated as generated,
         a.attidentity as identity
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    left join pg_type base on t.typtype = 'd' and base.oid = t.typbasetype
   where c.relnamespace = 'public'::regnamespace
     and c.relkind in ('r', 'p', 'v', 'm')
     and not c.relispartition
     and c.relname <> 'schema_migrations'
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
   order by c.relname collate "C", a.attnum`;

const HEADER = `// Made by \`npm run generate\` from src/platform/database/migrations; changes here are lost.
import type { ColumnType } from 'kysely';

/** Filled by the database when it is left out. */
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;

/** Filled by the database alone. */
export type Computed<T> = T extends ColumnType<infer S, infer _I, infer _U> ? ColumnType<S, never, never> : ColumnType<T, never, never>;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

/** Read as the parsed value; written as text by \`JSON.stringify\`, since the driver takes an array for an SQL array. */
export type Json = ColumnType<unknown, string, string>;
`;

const SCALARS: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  float4: 'number',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'Json',
  jsonb: 'Json',
  numeric: 'number',
  timestamptz: 'Timestamp',
};

/** Generates src/platform/database/schema/rows.generated.ts from a freshly migrated database. */
export async function generateRows(client: pg.Client): Promise<string> {
  return renderRows((await client.query<Column>(COLUMNS)).rows);
}

function renderRows(columns: Column[]): string {
  const tables = new Map<string, Column[]>();
  for (const column of columns) {
    tables.set(column.table_name, [...(tables.get(column.table_name) ?? []), column]);
  }
  const entries = [...tables].map(([table, members]) => {
    const lines = members.map(
      (column) => `    ${propertyName(column.column_name)}: ${columnType(column)};\n`,
    );
    return `  ${propertyName(table)}: {\n${lines.join('')}  };\n`;
  });
  return `${HEADER}\nexport interface Tables {\n${entries.join('')}}\n`;
}

const propertyName = (name: string) => (/^[a-z_][a-z0-9_]*$/i.test(name) ? name : `'${name}'`);

function columnType(column: Column): string {
  const base = valueType(column.type_name);
  const type = column.nullable ? `${base} | null` : base;
  if (column.generated !== '' || column.identity === 'a') return `Computed<${type}>`;
  return column.has_default || column.identity === 'd' ? `Generated<${type}>` : type;
}

function valueType(name: string): string {
  if (!name.startsWith('_')) return SCALARS[name] ?? 'string';
  const item = valueType(name.slice(1));
  if (item === 'Timestamp') return 'Date[]';
  return item === 'Json' ? 'unknown[]' : `${item}[]`;
}

/** The TypeScript type of a value of a PostgreSQL type when read. */
export function readType(name: string): string {
  if (name.startsWith('_')) return valueType(name);
  const type = valueType(name);
  if (type === 'Timestamp') return 'Date';
  return type === 'Json' ? 'unknown' : type;
}
