import { asList, asObject, asText } from './values.js';

const MOST_NODES = 50_000;
const BLOCKS = new Set(['paragraph', 'heading', 'codeBlock', 'blockquote', 'panel', 'rule', 'tableRow']);

/** The words of a description: a text as it is, a document of nodes block by block. */
export function documentText(value: unknown): string {
  if (typeof value === 'string') return value;
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
    if (type === 'text') parts.push(asText(node['text']) ?? '');
    else if (type === 'hardBreak') parts.push('\n');
    else if (type === 'mention' || type === 'emoji') parts.push(asText(attributes['text']) ?? '');
    else if (type === 'inlineCard') parts.push(asText(attributes['url']) ?? '');
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

const headingLevel = (level: unknown): number =>
  typeof level === 'number' ? Math.min(6, Math.max(1, Math.trunc(level))) : 2;
