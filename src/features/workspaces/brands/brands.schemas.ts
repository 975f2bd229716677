import { Type } from 'typebox';
import { PLANS } from '../../../kernel/access.js';
import {
  Closed,
  Named,
  OneOf,
  Timestamp,
  WorkspaceName,
} from '../../../platform/http/declaration/schemas.js';
import { ScopeCeiling } from '../../identity/index.js';

export const OwnWorkspace = Named(
  'OwnWorkspace',
  Closed({
    brand_id: Type.Integer(),
    name: Type.String(),
    plan: OneOf(PLANS),
    created_at: Timestamp,
    require_mfa: Type.Boolean(),
    timezone: Type.String(),
    scope_ceiling: ScopeCeiling,
  }),
);

export const OwnWorkspacePatch = Named(
  'OwnWorkspacePatch',
  Closed({
    name: Type.Optional(WorkspaceName),
    require_mfa: Type.Optional(
      Type.Boolean({
        description:
          'true: without two-factor sign-in people, and their tokens, can do nothing here but set it up.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Where days and months of budgets begin, for example Europe/Berlin.',
      }),
    ),
  }),
);
