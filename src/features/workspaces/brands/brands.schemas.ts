import { Type } from 'typebox';
import { Closed, Named, OneOf, Timestamp, WorkspaceName } from '../../../http/declaration/schemas.js';
import { PLANS } from '../../../kernel/access.js';

export const OwnWorkspace = Named(
  'OwnWorkspace',
  Closed({
    brand_id: Type.Integer(),
    name: Type.String(),
    plan: OneOf(PLANS),
    created_at: Timestamp,
    require_mfa: Type.Boolean({ description: 'Whether its people must sign in with two factors.' }),
  }),
);

export const OwnWorkspacePatch = Named(
  'OwnWorkspacePatch',
  Closed({
    name: Type.Optional(WorkspaceName),
    require_mfa: Type.Optional(
      Type.Boolean({
        description:
          'true: people without two-factor sign-in can do nothing here but set it up, nor can their tokens.',
      }),
    ),
  }),
);
