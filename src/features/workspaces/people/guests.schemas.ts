import { type Static, Type } from 'typebox';
import { GUEST_LEVELS, MEMBER_ROLES } from '../../../kernel/access.js';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { Email } from '../../identity/index.js';
import { GuestAccessSchema } from '../docs-spaces/docs-spaces.schemas.js';

const GuestSchema = Named(
  'Guest',
  Closed({
    user_id: Type.Integer(),
    email: Type.String(),
    full_name: Type.String(),
    image: Nullable(Type.String()),
    access: Type.Array(GuestAccessSchema),
  }),
);
export type Guest = Static<typeof GuestSchema>;

export const GuestListSchema = Named(
  'GuestList',
  Closed({ guests: Type.Array(GuestSchema), total: Type.Integer() }),
);

export const GuestRemovedSchema = Named(
  'RemovedGuest',
  Closed({
    success: Type.Boolean(),
    boards_removed: Type.Integer(),
    docs_removed: Type.Integer(),
  }),
);

export const InvitationSchema = Named(
  'Invitation',
  Closed({
    id: Type.Integer(),
    email: Type.String(),
    role: OneOf(['admin', 'member', 'guest']),
    status: OneOf(['pending', 'accepted', 'revoked', 'expired']),
    expires_at: Timestamp,
    created_at: Timestamp,
  }),
);
export type Invitation = Static<typeof InvitationSchema>;

export const InvitationListSchema = Named(
  'InvitationList',
  Closed({
    invitations: Type.Array(InvitationSchema),
    total: Type.Integer(),
  }),
);

const Invited = Described('Only its owner can accept.', Email);

export const InvitationBody = Named(
  'InvitationInput',
  Closed({ email: Invited, role: OneOf(MEMBER_ROLES, { description: 'Their role then.' }) }),
);

export const GuestInvitationBody = Named(
  'GuestInvitationInput',
  Closed({ email: Invited, role: OneOf(GUEST_LEVELS, { description: 'The level.' }) }),
);
