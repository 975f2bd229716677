import { type Static, Type } from 'typebox';
import { Closed, Named, OneOf } from '../../../platform/http/declaration/schemas.js';

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

export const GateNote = Named(
  'GateNote',
  Closed({
    kind: OneOf(NOTE_KINDS),
    path: Type.Optional(Type.String()),
    count: Type.Optional(Type.Integer()),
    text: Type.String(),
  }),
);
export type GateNote = Static<typeof GateNote>;

/** What a person should know before they look; it holds nothing. */
export const Gate = Named('BuildGate', Closed({ notes: Type.Array(GateNote) }));
export type Gate = Static<typeof Gate>;
