/** Text inside a Markdown document: nothing in it can start a structure of its own. */
export function escapeMarkdown(value: string): string {
  return value
    .replace(/[\\`*_{}[\]<>()#+\-.!|~&]/g, (character) => `\\${character}`)
    .replace(/\s*[\r\n\u2028\u2029\u0085\v\f]+\s*/g, ' ');
}

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
