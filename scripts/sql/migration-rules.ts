/**
 * Operations that a migration must not use while nodes of the previous version run, because they lock a table
 * for long or remove something in use. A line that starts with `-- allowed:` justifies an exception.
 */
const DANGERS: { pattern: RegExp; fault: string }[] = [
  { pattern: /alter\s+(column\s+)?\S+\s+(set\s+data\s+)?type\b/, fault: 'rewrites a table to change a type' },
  {
    pattern: /alter\s+(column\s+)?\S+\s+set\s+not\s+null/,
    fault: 'reads a whole table under a lock for NOT NULL',
  },
  { pattern: /drop\s+(column|table)\b/, fault: 'drops what nodes of the version before still use' },
  { pattern: /rename\s+(column\s+\S+\s+)?to\b/, fault: 'renames what nodes of the version before still use' },
  { pattern: /\b(vacuum\s+full|cluster)\s/, fault: 'rewrites a table' },
];

/** The last migration that was released before these rules existed. */
const LAST_UNJUDGED = '0369';

export function judgeMigration(name: string, sql: string): string[] {
  if (name.slice(0, 4) <= LAST_UNJUDGED || /^-- allowed: \S/m.test(sql)) return [];
  const text = sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').toLowerCase();
  const made = new Set(
    [...text.matchAll(/create table (?:if not exists )?([\w.]+)/g)].map(([, table]) => table),
  );
  const statements = text.split(';').filter((statement) => !made.has(alteredTable(statement)));
  const faults = DANGERS.filter(({ pattern }) => statements.some((statement) => pattern.test(statement))).map(
    ({ fault }) => fault,
  );
  if (
    statements.some(
      (statement) =>
        / add (constraint|primary|unique|foreign|check)/.test(statement) && !/not valid/.test(statement),
    )
  )
    faults.push(
      'checks a whole table under a lock: add the constraint NOT VALID and validate it in the next migration',
    );
  for (const [, table] of text.matchAll(/create (?:unique )?index .*? on ([\w.]+)/g))
    if (!made.has(table)) faults.push(`makes an index on ${table}, which is not written to meanwhile`);
  return faults.map((fault) => `${name} ${fault}; say why that is right with a line "-- allowed: …"`);
}

const alteredTable = (statement: string): string | undefined =>
  /alter table (?:if exists )?(?:only )?([\w.]+)/.exec(statement)?.[1];
