import { asList, asObject, asText } from './values.js';

/** How many characters of a line a mark may enclose; bounds every lookahead to keep parsing linear. */
const WITHIN = 300;
const BEFORE = String.raw`(?<![\w*_+\-^~\\])`;
const AFTER = String.raw`(?![\w])`;
const enclosed = (mark: string, without: string): RegExp =>
  new RegExp(String.raw`${BEFORE}${mark}(?=\S)([^${without}\n]{1,${WITHIN}})(?<=\S)${mark}${AFTER}`, 'g');

const BOLD = enclosed(String.raw`\*`, '*');
const DELETED = enclosed('-', String.raw`\-`);
const INSERTED = enclosed(String.raw`\+`, '+');
const CITED = /\?\?([^?\n]{1,300})\?\?/g;
const MONOSPACED = /\{\{([^{}\n]{1,300})\}\}/g;
const COLORED = /\{color(?::[#\w]{1,30})?\}/g;
const LINK = /\[([^[\]|\n]{1,300})\|([^[\]|\s]{1,2000})(?:\|[^[\]\n]{0,100})?\]/g;
const BARE_LINK = /\[((?:https?:\/\/|mailto:)[^[\]|\s]{1,2000})\]/g;
const MENTION = /\[~(?:accountid:)?([^[\]|\s]{1,200})\]/g;
const IMAGE = /(?<![\w!])!([^!|\s][^!|\n]{0,300})(?:\|[^!\n]{0,300})?!(?!\w)/g;
/** A Jira line break; in a Windows path other characters follow the backslashes. */
const BREAK = /\\\\(?=\s|$)/g;

function writeInline(line: string): string {
  return line
    .replace(COLORED, '')
    .replace(MONOSPACED, '`$1`')
    .replace(MENTION, '@$1')
    .replace(LINK, '[$1]($2)')
    .replace(BARE_LINK, '<$1>')
    .replace(IMAGE, (_, name: string) => (/^https?:/i.test(name) ? `![](${name})` : `(attachment: ${name})`))
    .replace(BOLD, '**$1**')
    .replace(DELETED, '~~$1~~')
    .replace(INSERTED, '$1')
    .replace(CITED, '_$1_')
    .replace(BREAK, '\\\n');
}

const HEADING = /^\s{0,20}h([1-6])\.\s{0,20}/;
const LIST = /^\s{0,20}([*#-]{1,6})\s+(?=\S)/;
const QUOTED_LINE = /^\s{0,20}bq\.\s{0,20}/;
const PANEL = /\{panel(?::(?:[^}\n]{0,300}?\|)?title=([^}|\n]{1,200})[^}\n]{0,300}|:[^}\n]{0,300})?\}/g;

/** `||a||b||` is a header row, `|a|b|` is a body row. */
function writeTableRow(line: string): string[] {
  const isHead = line.startsWith('||');
  // Splitting comes after writing the links because link markup also contains `|`.
  const cells = writeInline(line)
    .split(isHead ? '||' : '|')
    .slice(1)
    .map((cell) => cell.trim());
  if (cells.at(-1) === '') cells.pop();
  const row = `| ${cells.join(' | ')} |`;
  return isHead ? [row, `|${' --- |'.repeat(cells.length)}`] : [row];
}

function writeLine(line: string): string[] {
  if (line.trim() === '----') return ['', '---'];
  if (line.trimStart().startsWith('|')) return writeTableRow(line.trim());
  const heading = HEADING.exec(line);
  if (heading) return [`${'#'.repeat(Number(heading[1]))} ${writeInline(line.slice(heading[0].length))}`];
  const quoted = QUOTED_LINE.exec(line);
  if (quoted) return [`> ${writeInline(line.slice(quoted[0].length))}`];
  const item = LIST.exec(line);
  if (!item) return [writeInline(line)];
  const marks = item[1]!;
  const mark = marks.endsWith('#') ? '1.' : '-';
  return [`${'   '.repeat(marks.length - 1)}${mark} ${writeInline(line.slice(item[0].length))}`];
}

const BLOCK = /\{(quote|code|noformat)(?::([^}\n]{0,200}))?\}/g;
const LANGUAGE = /^(?:language=)?([A-Za-z][\w+#-]{0,20})(?:\||$)/;

/** Reads every character once, so the time is linear in the length of the text. */
export function markdownOfJira(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  let isQuote = false;
  const put = (line: string) => lines.push(isQuote ? `> ${line}` : line);

  function write(part: string): void {
    if (part.trim() === '') return;
    for (const line of part.replace(/^\n|\n$/g, '').split('\n')) {
      if (fence !== undefined) put(line);
      else for (const written of writeLine(withoutPanels(line))) put(written);
    }
  }

  let from = 0;
  for (const { index, 0: mark, 1: kind, 2: settings } of text.matchAll(BLOCK)) {
    if (fence !== undefined && kind !== fence) continue;
    write(text.slice(from, index));
    from = index + mark.length;
    if (kind === 'quote') {
      isQuote = !isQuote;
      // Without an empty line Markdown would read the next line as part of the quotation.
      if (!isQuote) lines.push('');
    } else if (fence !== undefined) {
      put('```');
      fence = undefined;
    } else {
      put(`\`\`\`${kind === 'code' ? (LANGUAGE.exec(settings ?? '')?.[1]?.toLowerCase() ?? '') : ''}`);
      fence = kind;
    }
  }
  write(text.slice(from));
  if (fence !== undefined) put('```');
  return lines.join('\n');
}

const withoutPanels = (line: string): string =>
  line.replace(PANEL, (_, title: string | undefined) => (title ? `**${title}**` : ''));

const MOST_NODES = 50_000;
const BLOCKS = new Set(['paragraph', 'heading', 'codeBlock', 'blockquote', 'panel', 'rule', 'tableRow']);

/** Accepts wiki markup or an Atlassian document (a tree of nodes). */
export function documentText(value: unknown): string {
  if (typeof value === 'string') return markdownOfJira(value);
  const parts: string[] = [];
  // A list instead of recursion, because a file can nest nodes deep enough to overflow the stack.
  const open: unknown[] = [value];
  for (let walked = 0; open.length > 0 && walked < MOST_NODES; walked += 1) {
    const next = open.pop();
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    const node = asObject(next);
    const type = asText(node['type']) ?? '';
    const attributes = asObject(node['attrs']);
    if (type === 'text') parts.push(writeText(asText(node['text']) ?? '', asList(node['marks'])));
    else if (type === 'hardBreak') parts.push('\n');
    else if (type === 'mention' || type === 'emoji') parts.push(asText(attributes['text']) ?? '');
    else if (type === 'inlineCard') parts.push(asText(attributes['url']) ?? '');
    else if (type === 'media') parts.push(`(attachment: ${asText(attributes['alt']) ?? 'a file'})`);
    if (type === 'listItem' || type === 'taskItem') parts.push('- ');
    if (type === 'heading') parts.push(`${'#'.repeat(headingLevel(attributes['level']))} `);
    if (type === 'codeBlock') parts.push('```\n');
    const within = asList(node['content']);
    if (BLOCKS.has(type)) open.push(type === 'codeBlock' ? '\n```\n\n' : '\n\n');
    for (let at = within.length - 1; at >= 0; at -= 1) open.push(within[at]);
  }
  return parts
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const MOST_MARKS = 10;
const MARKS: Record<string, string> = { strong: '**', em: '_', strike: '~~', code: '`' };

function writeText(text: string, marks: readonly unknown[]): string {
  // Markdown recognizes marks only without blanks inside them.
  const said = text.trim();
  if (said === '') return text;
  const marked = marks
    .slice(0, MOST_MARKS)
    .map(asObject)
    .reduce((written, { type, attrs }) => {
      const href = asText(asObject(attrs)['href']);
      if (type === 'link') return href === null ? written : `[${written}](${href})`;
      const mark = MARKS[asText(type) ?? ''] ?? '';
      return `${mark}${written}${mark}`;
    }, said);
  return text.replace(said, () => marked);
}

const headingLevel = (level: unknown): number =>
  typeof level === 'number' ? Math.min(6, Math.max(1, Math.trunc(level))) : 2;
