import { type Static, Type } from 'typebox';
import { NOTE_KINDS } from '../../../code/diff-analysis/notes.js';
import { Closed, Named, OneOf } from '../../../platform/http/declaration/schemas.js';

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
