import { Type } from 'typebox';
import { MEMBER_ROLES } from '../../kernel/access.js';
import { Closed, Named, Nullable, OneOf, Timestamp } from '../../platform/http/declaration/schemas.js';
import { tokenFields } from '../identity/index.js';

export const WorkspaceMembers = Named(
  'WorkspaceMembers',
  Closed({
    members: Type.Array(
      Closed({
        user_id: Type.Integer(),
        email: Type.String(),
        full_name: Type.String(),
        role: OneOf(MEMBER_ROLES),
        position: Nullable(Type.String()),
        joined_at: Timestamp,
      }),
    ),
    total: Type.Integer(),
  }),
);

export const WorkspaceTokens = Named(
  'WorkspaceTokens',
  Closed({
    tokens: Type.Array(Closed({ ...tokenFields, user_id: Type.Integer(), full_name: Type.String() })),
    total: Type.Integer(),
  }),
);
