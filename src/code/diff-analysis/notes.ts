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

/** What a person should know about a change before they review it. */
export interface Note {
  kind: NoteKind;
  path?: string;
  count?: number;
  text: string;
}
