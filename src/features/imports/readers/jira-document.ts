import { markdownOfJira } from './jira-markup.js';
import { asList, asObject, asText } from './values.js';

const MOST_NODES = 50_000;
const BLOCKS = new Set(['paragraph', 'heading', 'codeBlock', 'blockquote', 'panel', 'rule', 'tableRow']);

/** A description as Markdown: wiki markup, or a document of nodes block by block. */
export function documentText(value: unknown): string {
  if (typeof value === 'string') return markdownOfJira(value);
  const parts: string[] = [];
  // Documents may lie within each other as deep as somebody likes: what is still to be walked stands in a list.
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
  // Blanks stand outside of the marks: Markdown does not read them otherwise.
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
