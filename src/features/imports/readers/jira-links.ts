import { writeLink } from './values.js';

export interface JiraLink {
  /** Of the link: Blocks, Relates, Duplicate. */
  kind: string;
  isInward: boolean;
  /** What it says of the issue: "is blocked by". */
  words: string;
  key: string;
}

/** What blocks a card stands in its field; other links stand in its text. */
export function linksOf(links: readonly JiraLink[]): { blockedBy: string[]; notes: string[] } {
  const blockedBy: string[] = [];
  const said = new Map<string, string[]>();
  for (const { kind, isInward, words, key } of links) {
    if (isInward && /^block(?:s|er)?$/i.test(kind)) blockedBy.push(key);
    else said.set(words, [...(said.get(words) ?? []), key]);
  }
  return { blockedBy, notes: [...said].map(([words, keys]) => `${words}: ${keys.join(', ')}`) };
}

const CANCELED =
  /^(?:won.?t (?:do|fix)|canceled|cancelled|duplicate|declined|rejected|invalid|incomplete|cannot reproduce|not a bug|abandoned)$/i;

/** An issue that is closed without being done says so in its resolution alone. */
export const canceledState = (resolution: string | null): string | null =>
  resolution !== null && CANCELED.test(resolution.trim()) ? 'Canceled' : null;

export const writeFiles = (files: readonly { name: string | null; url: string | null }[]): string =>
  files.length === 0
    ? ''
    : ['### Attachments', '', ...files.map(({ name, url }) => writeLink(name, url))].join('\n');
