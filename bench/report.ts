/** A result that a benchmark sends to its parent process, which may write it into docs/figures.md. */
export type Report = { table: Table } | { figure: { name: string; value: string } };

export interface Table {
  heads: string[];
  rows: string[][];
  notes?: string[];
}

const handOver = (report: Report) => process.send?.(report);

/** Prints a figure and sends it to the parent process. */
export function reportRow(name: string, value: string): void {
  console.log(`${name.padEnd(46)} ${value}`);
  handOver({ figure: { name, value } });
}

/** Prints a table and sends it to the parent process. */
export function formatTable(table: Table): void {
  const { heads, rows, notes = [] } = table;
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const format = (row: string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  console.log(`\n${format(heads)}\n${widths.map((width) => '-'.repeat(width)).join('  ')}`);
  for (const row of rows) console.log(format(row));
  if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
  handOver({ table });
}
