import { type Static, Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp } from '../../http/schemas.js';
import { MEMBER_ROLES } from '../../kernel/access.js';

export const MemberSchema = Closed({
  user_id: Type.Integer(),
  email: Type.String(),
  full_name: Type.String(),
  role: OneOf(MEMBER_ROLES),
  position: Nullable(Type.String()),
  photo: Nullable(Type.String({ description: 'Where the picture can be read' })),
  joined_at: Timestamp,
});
export type Member = Static<typeof MemberSchema>;

export const MemberListSchema = Closed({ members: Type.Array(MemberSchema), total: Type.Integer() });

export const MemberBody = Closed({
  // Any value: another role than the two is a refusal of its own.
  role: Type.Optional(Type.Unknown({ description: '`admin` or `member`', examples: [...MEMBER_ROLES] })),
  position: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
});

export const PhotoSchema = Closed({ photo: Nullable(Type.String()) });

export const SetPasswordBody = Closed({
  password: Type.String({ minLength: 8, maxLength: 1024 }),
  send_email: Type.Optional(Type.Boolean({ default: false })),
});

export const DoneSchema = Closed({ success: Type.Boolean(), message: Type.String() });
