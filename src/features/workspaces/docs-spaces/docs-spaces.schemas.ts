import { type Static, Type } from 'typebox';
import { GUEST_LEVELS } from '../../../kernel/access.js';
import {
  Closed,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';

export const SpaceSchema = Named('DocsSpace', Closed({ space_id: Uuid, name: Type.String() }));
export type Space = Static<typeof SpaceSchema>;

export const SpaceListSchema = Named(
  'DocsSpaceList',
  Closed({ spaces: Type.Array(SpaceSchema), total: Type.Integer() }),
);

export const SpaceBody = Named(
  'DocsSpaceInput',
  Closed({
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      rule: 'must not be blank',
      description: 'Its name.',
    }),
  }),
);

export const SpaceGuestBody = Named(
  'DocsGuestInput',
  Closed({ role: OneOf(GUEST_LEVELS, { description: 'The level.' }) }),
);

export const SpaceGuestSchema = Named(
  'DocsGuest',
  Closed({
    space_id: Uuid,
    user_id: Type.Integer(),
    email: Type.String(),
    full_name: Type.String(),
    role: OneOf(GUEST_LEVELS),
    created_at: Timestamp,
  }),
);
export type SpaceGuest = Static<typeof SpaceGuestSchema>;

/** What a guest may open, a board as well as a space. */
export const GuestAccessSchema = Named(
  'GuestAccess',
  Closed({
    kind: OneOf(['board', 'docs']),
    resource_id: Uuid,
    name: Type.String(),
    role: Nullable(Type.String()),
  }),
);
export type GuestAccess = Static<typeof GuestAccessSchema>;
