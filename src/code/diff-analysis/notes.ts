export const NOTE_KINDS = [
  'checks_changed',
  'checks_unreadable',
  'setup_failed',
  'tests_removed',
  'tests_skipped',
  'tests_weakened',
  'stub',
  'no_change',
  'test_aware',
  'swallowed',
  'silenced',
  'secret',
  'outside',
  'not_read',
  'review',
] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

export interface Note {
  kind: NoteKind;
  path?: string;
  count?: number;
  text: string;
}

export interface TimeLimit {
  hasTime(): boolean;
  late: Set<string>;
}

export function eachWithinLimit<T extends { path: string }, R>(
  all: readonly T[],
  { hasTime, late }: TimeLimit,
  judge: (one: T) => R | R[],
): R[] {
  return all.flatMap((one) => {
    if (hasTime()) return judge(one);
    late.add(one.path);
    return [];
  });
}

const MOST_NAMES = 20;

/** Without this note a reviewer would assume that the file is clean. */
export function noteNotAnalyzed(paths: readonly string[]): Note {
  const count = paths.length;
  const shown = paths.slice(0, MOST_NAMES).join(', ');
  const more = count > MOST_NAMES ? `, and ${count - MOST_NAMES} more` : '';
  const text = `The analysis ran out of time. ${count === 1 ? 'A file was' : `${count} files were`} not analyzed: ${shown}${more}`;
  return { kind: 'not_read', ...(count > 0 && { path: paths[0]! }), count, text };
}
