import type { ReviewComment } from '../../api/builds.js';
import type { DiffLine } from './diff.js';

/** A remark that is written and not sent yet. */
export interface DraftComment {
  path: string;
  /** The line in the new file, the line that was removed, or the file as a whole. */
  side: 'new' | 'old' | 'file';
  line: number | null;
  /** The text of a removed line: the next attempt does not have it any more. */
  quote: string;
  body: string;
  editing: boolean;
}

export type Spot = Pick<DraftComment, 'path' | 'side' | 'line' | 'quote'>;

export const keyOf = ({ path, side, line }: Pick<DraftComment, 'path' | 'side' | 'line'>): string =>
  `${side}:${line ?? ''}:${path}`;

export function spotOf(path: string, line: DiffLine): Spot {
  return line.kind === 'removed'
    ? { path, side: 'old', line: line.old, quote: line.text }
    : { path, side: 'new', line: line.new, quote: line.text };
}

/** What a remark on everything is called where a file is asked for. */
export const WHOLE = '(the whole change)';

/** As the service takes it: lines are those of the new file, so a removed one is named in words. */
export function toReview({ path, side, line, quote, body }: DraftComment): ReviewComment {
  const said = body.trim();
  if (side === 'new' && line !== null) return { path, line, body: said };
  if (side === 'old') return { path, body: `On the removed line ${line}, \`${quote.trim()}\`: ${said}` };
  return { path, body: said };
}
