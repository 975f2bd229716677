import { inlineText } from '../../http/markdown.js';
import {
  BODY_FIELDS,
  type DetailLevel,
  FULL_FIELDS,
  STANDARD_FIELDS,
  SUMMARY_FIELDS,
} from './boards.card-fields.js';

/** What one reader or another takes for the end of a line, not only Markdown. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u2028\u2029]/g;
const CONTROLS = /[^\P{Cc}\t\n]/gu;

const FIELDS: Record<DetailLevel, readonly string[]> = {
  summary: SUMMARY_FIELDS,
  standard: STANDARD_FIELDS,
  full: FULL_FIELDS,
};

const headingText = (text: string): string => inlineText(text).replaceAll('#', '\\#');

export const renderBoardHeading = (name: string, key: string): string =>
  `# ${headingText(name)} (${headingText(key)})\n`;

export const renderColumnHeading = (name: string, cards: number): string =>
  `\n## ${headingText(name)}\n\n${cards === 0 ? 'No cards.\n' : ''}`;

export type ExportCard = Record<string, unknown> & { ref: string; title: string };

/** One list item a card, with the fields of the level below it; bodies are added by `renderBody`. */
export function renderCard(card: ExportCard, detail: DetailLevel): string {
  const lines = [`- **${inlineText(card.ref)}** ${inlineText(card.title)}\n`];
  for (const field of FIELDS[detail]) {
    if (field === 'ref' || field === 'title' || isBody(field)) continue;
    lines.push(`  - ${field}: ${renderValue(card[field])}\n`);
  }
  return lines.join('');
}

const isBody = (field: string): boolean => (BODY_FIELDS as readonly string[]).includes(field);

function renderValue(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(renderValue).join(', ');
  if (typeof value === 'object') return inlineText(renderObject(value as Record<string, unknown>));
  return typeof value === 'string' ? inlineText(value) || 'none' : String(value);
}

function renderObject(value: Record<string, unknown>): string {
  const name = value['name'];
  if (typeof name === 'string' && ('id' in value || 'user_id' in value)) return name;
  return JSON.stringify(sortKeys(value));
}

/** The database keeps no order of keys that a reader could rely on. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}

const BODY_INDENT = '    ';

/**
 * A long text as a code block inside the card's item: indented, so that it cannot leave the item,
 * and behind a fence that is longer than any in the text, so that it cannot leave the block.
 */
export function renderBody(field: (typeof BODY_FIELDS)[number], body: string | null): string {
  if (body === null) return `  - ${field}: none\n`;
  const longestRun = body.match(/`+/g)?.reduce((longest, run) => Math.max(longest, run.length), 0) ?? 0;
  const fence = '`'.repeat(Math.max(3, longestRun + 1));
  const lines = body
    .replace(LINE_BREAKS, '\n')
    .replace(CONTROLS, ' ')
    .split('\n')
    .map((line) => (line === '' ? '' : BODY_INDENT + line));
  return `  - ${field}:\n\n${BODY_INDENT}${fence}text\n${lines.join('\n')}\n${BODY_INDENT}${fence}\n`;
}

export const renderBodies = (instructions: string | null, result: string | null): string =>
  renderBody('instructions', instructions) + renderBody('result', result);

/** The size of a card without long texts, which is what most have. */
export const EMPTY_BODIES_BYTES = Buffer.byteLength(renderBodies(null, null));

export const bodiesBytes = (instructions: string | null, result: string | null): number =>
  Buffer.byteLength(renderBodies(instructions, result));
