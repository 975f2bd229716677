import type { BuildComment, NewComment } from '../../api/builds.js';
import type { DiffLine } from './diff.js';

/** The target of a comment: a line of the new file, a line of the base, a file, or the whole change. */
export interface Spot {
  path: string | null;
  side: 'new' | 'old' | 'file';
  line: number | null;
}

/** A comment being written, stored only in this window. */
export interface Writing extends Spot {
  body: string;
}

export interface Thread {
  first: BuildComment;
  answers: BuildComment[];
}

export const WHOLE: Spot = { path: null, side: 'file', line: null };

export const keyOf = ({ path, side, line }: Spot): string => `${side}:${line ?? ''}:${path ?? ''}`;

export const spotOf = (path: string, line: DiffLine): Spot =>
  line.kind === 'removed' ? { path, side: 'old', line: line.old } : { path, side: 'new', line: line.new };

/** The comment targets of a diff line; an unchanged line belongs to both files. */
export const keysOfLine = (path: string, line: DiffLine): string[] => [
  ...(line.new === null ? [] : [keyOf({ path, side: 'new', line: line.new })]),
  ...(line.old === null ? [] : [keyOf({ path, side: 'old', line: line.old })]),
];

export const spotOfThread = ({ first: { path, side, line } }: Thread): Spot => ({
  path,
  side: line === null ? 'file' : side,
  line,
});

export const toComment = ({ path, side, line, body }: Writing): NewComment => ({
  body: body.trim(),
  ...(path !== null && { path }),
  ...(line !== null && { line }),
  ...(side === 'old' && { side }),
});

export function threadsOf(comments: readonly BuildComment[]): Thread[] {
  const threads = new Map<string, Thread>();
  for (const first of comments)
    if (first.reply_to === null) threads.set(first.comment_id, { first, answers: [] });
  for (const answer of comments) if (answer.reply_to) threads.get(answer.reply_to)?.answers.push(answer);
  return [...threads.values()];
}

export const placeWords = ({ path, side, line }: Spot): string => {
  if (path === null) return 'the whole change';
  return side === 'file' ? 'the file' : side === 'old' ? `removed line ${line}` : `line ${line}`;
};

/** Formatted as in the brief, such as `src/main.ts:12`. */
export const addressOfSpot = ({ path, side, line }: Spot): string =>
  path === null
    ? 'The whole change'
    : line === null
      ? path
      : `${path}:${line}${side === 'old' ? ' (removed)' : ''}`;

export interface FileNotes {
  threads: Thread[];
  writing: Writing[];
}

export const NO_NOTES: FileNotes = { threads: [], writing: [] };

/** Groups comments by file; the key null holds all others. */
export function notesByFile(
  paths: readonly string[],
  threads: readonly Thread[],
  writing: readonly Writing[],
): Map<string | null, FileNotes> {
  const known = new Set(paths);
  const notes = new Map<string | null, FileNotes>();
  const of = (path: string | null) => {
    const key = path !== null && known.has(path) ? path : null;
    const found = notes.get(key) ?? { threads: [], writing: [] };
    notes.set(key, found);
    return found;
  };
  for (const thread of threads) of(thread.first.path).threads.push(thread);
  for (const each of writing) of(each.path).writing.push(each);
  return notes;
}

export const countOf = ({ threads, writing }: FileNotes): number =>
  threads.filter(({ first }) => !first.resolved).length + writing.length;

/** Whether a thread is shown at a line; threads on base lines need a diff against the base. */
export const isOnLine = ({ first }: Thread, ofBase: boolean): boolean =>
  first.line !== null && !first.outdated && (ofBase || first.side === 'new');
