import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import type { Report, Table } from './report.js';

/** The document with the results: each program has a section that only its own run changes. */
const document = new URL('../docs/figures.md', import.meta.url);

const HEAD = `# Figures

What Guildhall does, as measured. \`npm run bench\` writes this page; \`npm run bench -- <name> --write\` writes one section of it anew. Compare
ratios between machines, and times only on the same one: both sides of a ratio were measured in the same run, in rounds that alternate.
`;

export interface Run {
  name: string;
  about: string;
  command: string;
  /** The machine's load average before the run. */
  load: number;
  reports: Report[];
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();

function describeRun({ command, load }: Run): string {
  const changed = git('status', '--porcelain', '--', 'src', 'bench') === '' ? '' : ', with changes';
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const day = new Date().toISOString().slice(0, 10);
  return `\`${command}\` on ${day}: commit ${git('rev-parse', '--short=10', 'HEAD')}${changed}, Node ${process.versions.node}, ${machine}, load ${load.toFixed(1)} before.`;
}

/** Puts consecutive figures into one table. */
function toTables(reports: Report[]): Table[] {
  const tables: Table[] = [];
  let isOpen = false;
  for (const report of reports) {
    if ('table' in report) tables.push(report.table);
    else {
      if (!isOpen) tables.push({ heads: ['what', 'measured'], rows: [] });
      tables.at(-1)!.rows.push([report.figure.name, report.figure.value]);
    }
    isOpen = 'figure' in report;
  }
  return tables;
}

const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

const writeTable = ({ heads, rows, notes = [] }: Table): string =>
  [
    line(heads),
    `|${heads.map((_, column) => (column === 0 || heads.length === 2 ? '---' : '---:')).join('|')}|`,
    ...rows.map(line),
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
  ].join('\n');

const writeSection = (run: Run): string =>
  [
    `## ${run.name}`,
    `Measures ${run.about}.`,
    describeRun(run),
    ...toTables(run.reports).map(writeTable),
  ].join('\n\n');

/** Rewrites the sections of the given runs, keeps all others, and orders them by `names`. */
export function writeFigures(runs: Run[], names: readonly string[]): void {
  const sections = new Map<string, string>();
  for (const text of readDocument()
    .split(/^(?=## )/m)
    .slice(1))
    sections.set(/^## (.*)/.exec(text)![1]!, text.trim());
  for (const run of runs) sections.set(run.name, writeSection(run));
  const ordered = names.flatMap((name) => sections.get(name) ?? []);
  writeFileSync(document, `${[HEAD.trim(), ...ordered].join('\n\n')}\n`);
}

function readDocument(): string {
  try {
    return readFileSync(document, 'utf8');
  } catch {
    return '';
  }
}
