import { type Static, Type } from 'typebox';
import { GUEST_LEVELS, MEMBER_ROLES, PLANS } from '../../kernel/access.js';
import {
  Actor,
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
  WorkspaceName,
} from '../../platform/http/declaration/schemas.js';
import { Email, ScopeCeiling } from '../identity/index.js';
import { MAIL_NAME_PATTERN, MAIL_NAME_RULE } from './mail-addresses/mail-addresses.service.js';

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

const MailName = Type.String({
  pattern: MAIL_NAME_PATTERN,
  rule: MAIL_NAME_RULE,
  description: MAIL_NAME_RULE,
});

export const MailNameQuery = Type.Object({ name: Described('The part before the @.', MailName) });
export const MailNameBody = Named(
  'MailNameInput',
  Closed({ name: Described('The part before the @ from now on.', MailName) }),
);

export const MailAddressSchema = Named(
  'MailAddress',
  Closed({
    address: Type.String(),
    forwards: Type.Array(Closed({ address: Type.String(), until: Timestamp })),
  }),
);

export const AvailabilitySchema = Named(
  'MailNameAvailability',
  Closed({
    name: Type.String(),
    domain: Type.String(),
    available: Type.Boolean(),
  }),
);

export const RenamedSchema = Named(
  'RenamedMailAddress',
  Closed({
    address: Type.String(),
    forwarding_from: Type.String(),
    forwards_until: Timestamp,
  }),
);

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
  Closed({ invitations: Type.Array(InvitationSchema), total: Type.Integer() }),
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

export const MemberSchema = Named(
  'Member',
  Closed({
    user_id: Type.Integer(),
    email: Type.String(),
    full_name: Type.String(),
    role: OneOf(MEMBER_ROLES),
    position: Nullable(Type.String()),
    photo: Nullable(Type.String({ description: 'Its address.' })),
    joined_at: Timestamp,
  }),
);
export type Member = Static<typeof MemberSchema>;

export const MemberListSchema = Named(
  'MemberList',
  Closed({ members: Type.Array(MemberSchema), total: Type.Integer() }),
);

export const MemberBody = Named(
  'MemberPatch',
  Closed({
    // Any value, so that an unknown role gets its own error message.
    role: Type.Optional(Type.Unknown({ description: '`admin` or `member`', examples: [...MEMBER_ROLES] })),
    position: Type.Optional(
      Nullable(Type.String({ maxLength: 1000 }), {
        description: 'Their part in the team; null clears it.',
      }),
    ),
  }),
);

export const PhotoSchema = Named('Photo', Closed({ photo: Nullable(Type.String()) }));

export const SetPasswordBody = Named(
  'PasswordInput',
  Closed({
    password: Type.String({
      minLength: 8,
      maxLength: 128,
      description: 'The new password.',
    }),
    send_email: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether to notify them by mail.' }),
    ),
  }),
);

export const DoneSchema = Named('Done', Closed({ success: Type.Boolean(), message: Type.String() }));

export const LARGEST_PAGE = 200;

export const WorkspaceAuditQuery = Type.Object({
  actor: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Only what this person did, by their user_id.',
    }),
  ),
  action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only this action, such as `member.removed`.' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LARGEST_PAGE, description: 'How many on a page.' }),
  ),
});

const WorkspaceAuditEntry = Named(
  'WorkspaceAuditEntry',
  Closed({
    id: Type.String(),
    at: Timestamp,
    actor: Nullable(Actor, {
      description: 'The person or agent. Null: the operator, a machine or unknown.',
    }),
    action: Type.String(),
    subject: Type.String(),
    address: Nullable(Type.String({ description: 'Of the client; null: the service itself.' })),
    credential: Nullable(
      Type.String({ description: '`session:<id>`, `pat:<token_id>`, `desk:<id>` or `admin_key`.' }),
    ),
  }),
);
export type WorkspaceAuditEntry = Static<typeof WorkspaceAuditEntry>;

export const WorkspaceAuditPage = Named(
  'WorkspaceAuditPage',
  Closed({ entries: Type.Array(WorkspaceAuditEntry), next_cursor: Nullable(Type.String()) }),
);
