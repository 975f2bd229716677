import { Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp, Uuid } from '../../http/schemas.js';
import { SCOPES } from '../../kernel/access.js';

export const ScopeName = OneOf(SCOPES);
export const Password = Type.String({ minLength: 8, maxLength: 1024 });

export const SignInBody = Closed({
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ maxLength: 1024 }),
  brand_id: Type.Optional(Type.Integer()),
});

const User = Closed({ user_id: Type.Integer(), email: Type.String(), full_name: Type.String() });
const Brand = Closed({ brand_id: Type.Integer(), name: Type.String() });
const RoleName = OneOf(['admin', 'member', 'guest']);

export const SignedIn = Closed({ user: User, brand: Brand, role: RoleName });
export const SessionInfo = Closed({
  user: User,
  brand: Brand,
  role: RoleName,
  scopes: Type.Array(ScopeName),
});

export const ResetBody = Closed({ token: Type.String({ minLength: 1, maxLength: 512 }), password: Password });

export const ExpiresAt = Type.Optional(Nullable(Timestamp));

export const TokenBody = Closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  scopes: Type.Array(ScopeName, { maxItems: 20 }),
  expires_at: ExpiresAt,
});

export const tokenFields = {
  token_id: Uuid,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
};

export const TokenList = Closed({ tokens: Type.Array(Closed(tokenFields)), total: Type.Integer() });
export const CreatedToken = Closed({ ...tokenFields, token: Type.String() });

export const Credential = Closed({
  kind: OneOf(['pat', 'session']),
  user_id: Type.Integer(),
  brand_id: Type.Integer(),
  role: RoleName,
  scopes: Type.Array(ScopeName),
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
});

export const AcceptBody = Closed({
  full_name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  password: Type.Optional(Password),
});

export const Accepted = Closed({ brand_id: Type.Integer(), role: RoleName });
