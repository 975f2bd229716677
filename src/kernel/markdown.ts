/** Every character that some reader treats as a line break. */
const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029][\s\u0085]*/;
const CONTROLS = /\p{Cc}/gu;
/** Characters with an inline meaning. An underscore inside a word has none. */
const INLINE_MARKS = /[\\`*[\]<|~]+|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** Characters that start a heading, list, quote or rule. */
const BLOCK_MARKS = /^(?:[#>+=-]|\d+(?=[.)]))/;

/** Escapes text for the middle of a line. Ordinary words stay unchanged. */
export const inlineText = (value: string): string =>
  onOneLine(value).replace(CONTROLS, ' ').replace(INLINE_MARKS, escaped).trim();

const escaped = (marks: string): string => `\\${marks.split('').join('\\')}`;

/** Trims line by line, because a regular expression would be quadratic for long runs of blanks. */
const onOneLine = (value: string): string =>
  value
    .split(LINE_BREAK)
    .map((line) => line.trimEnd())
    .join(' ');

/** Escapes text for a whole line or the start of one. */
export const escapeMarkdown = (value: string): string =>
  inlineText(value).replace(BLOCK_MARKS, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));

/** Renders plain data as a nested list, in the order of the JSON. */
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

const BLANK = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BACKTICK = 0x60;
const DELETE = 0x7f;
const SHORTEST_FENCE = 3;

/** Measurements of a text as a code block with normalized line breaks. */
interface Layout {
  longestRun: number;
  length: number;
  bytes: number;
}

/**
 * Writes the indented lines into `lines` if given. Loops over code units, because regular expressions take
 * half a second for 1 MiB of line breaks.
 */
function layOut(text: string, indent: number, lines?: Uint16Array): Layout {
  let [longestRun, run, length, bytes] = [0, 0, 0, 0];
  let beginsLine = true;
  for (let i = 0; i < text.length; i++) {
    const given = text.charCodeAt(i);
    run = given === BACKTICK ? run + 1 : 0;
    if (run > longestRun) longestRun = run;
    if (given === CARRIAGE_RETURN && text.charCodeAt(i + 1) === LINE_FEED) continue;
    const unit = given >= BLANK && given < DELETE ? given : tamed(given);
    if (beginsLine && unit !== LINE_FEED) {
      for (const end = length + indent; length < end; length++) if (lines) lines[length] = BLANK;
      bytes += indent;
    }
    beginsLine = unit === LINE_FEED;
    if (lines) lines[length] = unit;
    length += 1;
    bytes += unit < 0x80 ? 1 : bytesOf(unit);
  }
  return { longestRun, length, bytes };
}

const tamed = (unit: number): number => (isLineBreak(unit) ? LINE_FEED : isControl(unit) ? BLANK : unit);

const isLineBreak = (unit: number): boolean =>
  (unit >= LINE_FEED && unit <= CARRIAGE_RETURN) || unit === 0x2028 || unit === 0x2029;

const isControl = (unit: number): boolean =>
  (unit < BLANK && unit !== TAB) || (unit >= DELETE && unit <= 0x9f);

/** Each half of a surrogate pair counts as two of its four bytes. */
const bytesOf = (unit: number): number => (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3);

const fenceFor = ({ longestRun }: Layout): string => '`'.repeat(Math.max(SHORTEST_FENCE, longestRun + 1));

/** The fence is longer than any run of backticks in the text, so the text cannot close the block. */
export function renderBlock(text: string, indent: string): string {
  const layout = layOut(text, indent.length);
  const lines = new Uint16Array(layout.length);
  layOut(text, indent.length, lines);
  const fence = fenceFor(layout);
  return `${indent}${fence}text\n${Buffer.from(lines.buffer).toString('utf16le')}\n${indent}${fence}\n`;
}

/** Returns the size in bytes of a rendered block, without rendering it. */
export function blockBytes(text: string, indent: string): number {
  const layout = layOut(text, indent.length);
  return (
    Buffer.byteLength(`${indent}${fenceFor(layout)}text\n\n${indent}${fenceFor(layout)}\n`) + layout.bytes
  );
}
