import { type Static, Type } from 'typebox';
import { NOTE_KINDS } from '../../code/diff-analysis/notes.js';
import { Closed, Named, OneOf } from '../../platform/http/declaration/schemas.js';

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

export const Risk = Named(
  'BuildRisk',
  Closed({
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    reasons: Type.Array(Closed({ reason: Type.String(), points: Type.Integer() })),
  }),
);
export type Risk = Static<typeof Risk>;

/** A risk with one more reason, which counts once. */
export function withReason({ reasons }: Risk, added: Risk['reasons'][number]): Risk {
  const all = [...reasons.filter(({ reason }) => reason !== added.reason), added];
  const sum = all.reduce((total, { points }) => total + points, 0);
  return { score: Math.min(100, sum), reasons: all.sort((one, other) => other.points - one.points) };
}

/** From here on a build is one that a reviewer is asked about. */
export const RISKY = 50;

/** What was found out about the change of a build. */
export interface Analysis {
  notes: GateNote[];
  risk: Risk;
}
