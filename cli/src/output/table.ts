import { cleanLine } from './clean.js';
import { moodOf, type Paint } from './colour.js';

export interface Column<T> {
  title: string;
  of: (row: T) => unknown;
}

const GAP = 2;
const NARROWEST = 6;

export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (typeof value === 'object') return cleanLine(JSON.stringify(value));
  return cleanLine(String(value));
}

/** For programs: one line per row, separated by tabs, nothing cut. */
export const tabbed = <T>(rows: readonly T[], columns: readonly Column<T>[]): string =>
  rows.map((row) => `${columns.map(({ of }) => cellText(of(row))).join('\t')}\n`).join('');

/** For people: as wide as the terminal, with the widest columns cut. */
export function drawTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  width: number,
  paint: Paint,
): string {
  const cells = rows.map((row) => columns.map(({ of }) => cellText(of(row))));
  const widths = fitWidths(
    columns.map(({ title }, index) =>
      Math.max(widthOf(title), ...cells.map((line) => widthOf(line[index]!)).slice(0, 5000)),
    ),
    width - GAP * (columns.length - 1),
  );
  const lay = (line: readonly string[], style: (text: string, bare: string) => string) =>
    line
      .map((text, index) => {
        const shown = cut(text, widths[index]!);
        const padding = index === line.length - 1 ? '' : ' '.repeat(widths[index]! - widthOf(shown));
        return style(shown, text) + padding;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const head = lay(
    columns.map(({ title }) => title.toUpperCase()),
    (text) => paint('dim', text),
  );
  const body = cells.map((line) =>
    lay(line, (text, bare) => {
      const mood = moodOf(bare);
      return mood ? paint(mood, text) : text;
    }),
  );
  return `${[head, ...body].join('\n')}\n`;
}

function fitWidths(wanted: number[], room: number): number[] {
  const widths = [...wanted];
  let over = widths.reduce((sum, each) => sum + each, 0) - room;
  while (over > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= NARROWEST) break;
    const others = widths.filter((_, index) => index !== widest);
    const next = Math.max(NARROWEST, ...others);
    const step = Math.max(1, Math.min(over, widths[widest]! - next));
    widths[widest]! -= step;
    over -= step;
  }
  return widths;
}

/** The width on a terminal: East Asian characters and emoji take two columns, combining marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

function charWidth(char: string): number {
  const code = char.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(char)) return 0;
  if (/\p{Emoji_Presentation}/u.test(char)) return 2;
  return /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
    char,
  ) || code >= 0x1f300
    ? 2
    : 1;
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  let used = 0;
  for (const char of text) {
    const next = charWidth(char);
    if (used + next > width - 1) break;
    shown += char;
    used += next;
  }
  return `${shown}…`;
}
