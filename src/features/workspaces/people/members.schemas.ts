import { type Static, Type } from 'typebox';
import { MEMBER_ROLES } from '../../../kernel/access.js';
import { Closed, Named, Nullable, OneOf, Timestamp } from '../../../platform/http/declaration/schemas.js';

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
    // Any value: another role than the two is a refusal of its own.
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
    send_email: Type.Optional(Type.Boolean({ default: false, description: 'Whether to tell them by mail.' })),
  }),
);

export const DoneSchema = Named('Done', Closed({ success: Type.Boolean(), message: Type.String() }));
