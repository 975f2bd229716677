/** What one reader or another takes for the end of a line, not only Markdown. */
const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029][\s\u0085]*/;
const CONTROLS = /\p{Cc}/gu;
/** What means something in the middle of a line. An underscore inside a word does not. */
const INLINE_MARKS = /[\\`*[\]<|~]+|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** What makes a heading, a list, a quote or a rule at the beginning of a line. */
const BLOCK_MARKS = /^(?:[#>+=-]|\d+(?=[.)]))/;

/** Text for the middle of a line: whatever it contains, it stays text, and ordinary words stay as they were written. */
export const inlineText = (value: string): string =>
  onOneLine(value).replace(CONTROLS, ' ').replace(INLINE_MARKS, escaped).trim();

const escaped = (marks: string): string => `\\${marks.split('').join('\\')}`;

/** Blanks before a break go piece by piece: a pattern for them would start over at every blank of a long run. */
const onOneLine = (value: string): string =>
  value
    .split(LINE_BREAK)
    .map((line) => line.trimEnd())
    .join(' ');

/** Text for a whole line or its beginning: nothing in it can start a structure. */
export const escapeMarkdown = (value: string): string =>
  inlineText(value).replace(BLOCK_MARKS, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));

/** Any plain data as a nested list: the same facts as the JSON, in the same order. */
export function markdownFacts(data: unknown, depth = 0): string {
  const indent = '  '.repeat(depth);
  if (Array.isArray(data)) {
    if (data.length === 0) return `${indent}- none\n`;
    return data.map((item) => listItem(indent, '', item, depth)).join('');
  }
  return Object.entries(data as Record<string, unknown>)
    .map(([key, value]) => listItem(indent, `**${escapeMarkdown(key)}**: `, value, depth))
    .join('');
}

function listItem(indent: string, label: string, value: unknown, depth: number): string {
  if (value !== null && typeof value === 'object') {
    const empty = Object.keys(value).length === 0;
    return empty
      ? `${indent}- ${label}none\n`
      : `${indent}- ${label.trimEnd() || '·'}\n${markdownFacts(value, depth + 1)}`;
  }
  return `${indent}- ${label}${typeof value === 'string' ? escapeMarkdown(value) : String(value)}\n`;
}
