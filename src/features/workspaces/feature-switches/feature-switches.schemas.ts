import { type Static, Type } from 'typebox';
import {
  Actor,
  Closed,
  Named,
  Nullable,
  OneOf,
  Timestamp,
} from '../../../platform/http/declaration/schemas.js';

const SwitchSchema = Named(
  'FeatureSwitch',
  Closed({
    on: Type.Boolean(),
    locked_by_plan: Type.Boolean({
      description: 'The plan lacks it; it cannot be turned on',
    }),
    source: OneOf(['plan_default', 'data_default', 'admin']),
    changed_by: Nullable(Actor),
    changed_at: Nullable(Timestamp),
    holds: Type.Record(Type.String(), Type.Integer()),
  }),
);
export type Switch = Static<typeof SwitchSchema>;

export const FeaturesSchema = Named(
  'Features',
  Closed({
    new_navigation: Type.Boolean(),
    switches: Closed({ skills: SwitchSchema, feed: SwitchSchema, machines: SwitchSchema, crm: SwitchSchema }),
  }),
);
export type Features = Static<typeof FeaturesSchema>;

export const SwitchBody = Named(
  'FeatureSwitchInput',
  Closed({ on: Type.Boolean({ description: 'true shows the feature, false hides it.' }) }),
);
