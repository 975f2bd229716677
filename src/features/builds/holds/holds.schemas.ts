import { type Static, Type } from 'typebox';
import { Closed, Named, Uuid } from '../../../http/declaration/schemas.js';

export const LiftedHold = Named(
  'LiftedHold',
  Closed({
    workstation_id: Uuid,
    lifted: Type.Boolean({ description: 'False where nothing held it.' }),
  }),
);
export type LiftedHold = Static<typeof LiftedHold>;
