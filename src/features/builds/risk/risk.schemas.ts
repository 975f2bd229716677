import { type Static, Type } from 'typebox';
import { Closed, Named } from '../../../http/declaration/schemas.js';

export const Risk = Named(
  'BuildRisk',
  Closed({
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    reasons: Type.Array(Closed({ reason: Type.String(), points: Type.Integer() })),
  }),
);
export type Risk = Static<typeof Risk>;

/** From here on a build is one that a reviewer is asked about. */
export const RISKY = 50;
