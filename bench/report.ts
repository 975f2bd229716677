/** What a program of the bench hands over to whoever started it, who may write it into the document. */
export type Report = { table: Table } | { figure: { name: string; value: string } };

export interface Table {
  heads: string[];
  rows: string[][];
  /** What has to be known to read it. */
  notes?: string[];
}

const handOver = (report: Report) => process.send?.(report);

/** Shows one figure, and hands it over. */
export function tell(name: string, value: string): void {
  console.log(`${name.padEnd(46)} ${value}`);
  handOver({ figure: { name, value } });
}

/** Shows a table, and hands it over. */
export function tellTable(table: Table): void {
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
