import { blockBytes, inlineText, renderBlock } from '../../../kernel/markdown.js';
import {
  type Bodies,
  type BodyColumn,
  FIELD_NAMES,
  type FieldName,
  fieldOf,
  namesAt,
} from './card-fields.js';

const headingText = (text: string): string => inlineText(text).replaceAll('#', '\\#');

export const renderBoardHeading = (name: string, key: string): string =>
  `# ${headingText(name)} (${headingText(key)})\n`;

export const renderColumnHeading = (name: string, cards: number): string =>
  `\n## ${headingText(name)}\n\n${cards === 0 ? 'No cards.\n' : ''}`;

export type ExportCard = Record<string, unknown> & { id: string; ref: string; title: string };

const linesAt = (level: 'summary' | 'standard') =>
  namesAt(level)
    .filter((name) => fieldOf(name).exported === 'line')
    .map((name) => ({ name, write: fieldOf(name).write }));
const LINES = { summary: linesAt('summary'), standard: linesAt('standard') };

export function renderCard(card: ExportCard, level: keyof typeof LINES): string {
  const lines = [`- **${inlineText(card.ref)}** ${inlineText(card.title)}\n`];
  for (const { name, write } of LINES[level]) lines.push(`  - ${name}: ${renderValue(card[name], write)}\n`);
  return lines.join('');
}

function renderValue(value: unknown, write: ((shown: unknown) => string) | undefined): string {
  if (value === null || value === undefined) return 'none';
  if (write) return inlineText(write(value)) || 'none';
  if (Array.isArray(value)) return value.map((each) => inlineText(String(each))).join(', ') || 'none';
  if (typeof value === 'object') return inlineText(JSON.stringify(sortKeys(value)));
  return typeof value === 'string' ? inlineText(value) || 'none' : String(value);
}

/** jsonb does not keep the order of keys. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}

export const renderFiles = (files: readonly { name: string; url: string }[]): string =>
  files.length === 0
    ? ''
    : `  - attachments:\n${files.map(({ name, url }) => `    - [${inlineText(name)}](${url})\n`).join('')}`;

const BODY_INDENT = '    ';

/** Indented, so that the text cannot leave the card's list item. */
export const renderBody = (name: FieldName, body: string | null): string =>
  body === null ? `  - ${name}: none\n` : `  - ${name}:\n\n${renderBlock(body, BODY_INDENT)}`;

const bodyBytes = (name: FieldName, body: string | null): number =>
  body === null
    ? Buffer.byteLength(renderBody(name, null))
    : Buffer.byteLength(`  - ${name}:\n\n`) + blockBytes(body, BODY_INDENT);

const BLOCKS = FIELD_NAMES.filter((name): name is BodyColumn => fieldOf(name).exported === 'block');

export const renderBodies = (bodies: Partial<Bodies>): string =>
  BLOCKS.map((name) => renderBody(name, bodies[name] ?? null)).join('');

export const bodiesBytes = (bodies: Partial<Bodies>): number =>
  BLOCKS.reduce((sum, name) => sum + bodyBytes(name, bodies[name] ?? null), 0);

/** The size for a card without long texts. */
export const EMPTY_BODIES_BYTES = bodiesBytes({});
