import type { Issue } from '../adapter/forge.js';

const LONGEST_TITLE = 500;
const LARGEST_TEXT = 1_048_576;
const LONGEST_LABEL = 100;
const MOST_LABELS = 100;
const LONGEST_ADDRESS = 2000;

/** Text that PostgreSQL accepts. */
const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed();

export const titleOf = ({ title, number }: Pick<Issue, 'title' | 'number'>): string =>
  clean(title).trim().slice(0, LONGEST_TITLE).toWellFormed() || `Issue #${number}`;

/** The author and the text, up to what a card can hold. */
export function instructionsOf({ number, author, body }: Issue, repository: string): string {
  const text = `Issue #${number} of ${repository}, by ${clean(author).replace(/\s+/g, ' ').trim() || 'nobody known'}:\n\n${clean(body)}`;
  return cutBytes(text, LARGEST_TEXT);
}

export const labelsOf = ({ labels }: Pick<Issue, 'labels'>): string[] =>
  [...new Set(labels.map((label) => clean(label).trim().slice(0, LONGEST_LABEL).toWellFormed()))]
    .filter((label) => label !== '')
    .slice(0, MOST_LABELS);

export const addressOf = ({ url }: Pick<Issue, 'url'>): string | null =>
  /^https?:\/\/\S+$/i.test(url) && url.length <= LONGEST_ADDRESS ? clean(url) : null;

/** Most hosts ignore the case of labels. */
export const hasLabel = ({ labels }: Pick<Issue, 'labels'>, wanted: string): boolean =>
  labels.some((label) => label.trim().toLowerCase() === wanted.trim().toLowerCase());

function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  // A character that does not fit whole is left out.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
}
