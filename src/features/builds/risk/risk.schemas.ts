import { type Static, Type } from 'typebox';
import { Closed, Named } from '../../../platform/http/declaration/schemas.js';

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
