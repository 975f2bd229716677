import { type Static, Type } from 'typebox';
import { Closed, OneOf, Timestamp, Uuid } from '../../http/schemas.js';

const GUEST_LEVELS = ['viewer', 'commenter', 'editor'] as const;

export const SpaceSchema = Closed({ space_id: Uuid, name: Type.String() });
export type Space = Static<typeof SpaceSchema>;

export const SpaceListSchema = Closed({ spaces: Type.Array(SpaceSchema), total: Type.Integer() });

export const SpaceBody = Closed({
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', rule: 'must not be blank' }),
});

export const SpaceGuestBody = Closed({ role: OneOf(GUEST_LEVELS) });
export type GuestLevel = Static<typeof SpaceGuestBody>['role'];

export const SpaceGuestSchema = Closed({
  space_id: Uuid,
  user_id: Type.Integer(),
  email: Type.String(),
  full_name: Type.String(),
  role: OneOf(GUEST_LEVELS),
  created_at: Timestamp,
});
export type SpaceGuest = Static<typeof SpaceGuestSchema>;
