import { Type } from 'typebox';
import { SCOPES } from '../../kernel/access.js';
import { error } from '../../platform/http/declaration/route.js';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  SingleLineName,
  Timestamp,
  Uuid,
} from '../../platform/http/declaration/schemas.js';

export const ScopeName = Named('Scope', OneOf(SCOPES));
export const ScopeCeiling = Named(
  'ScopeCeiling',
  Type.Array(ScopeName, {
    maxItems: 20,
    description: 'Scopes that its tokens may hold.',
  }),
);
export const Password = Type.String({ minLength: 8, maxLength: 128 });

/** Of a domain with a dot in it: mail to `somebody@localhost` arrives nowhere. */
export const EMAIL_PATTERN = '^(?=[^@]+@[^@.]+(?:\\.[^@.]+)+$)[^\\s<>(),;:"\\\\]+$';
export const LONGEST_EMAIL = 320;

export const Email = Type.String({
  minLength: 3,
  maxLength: LONGEST_EMAIL,
  pattern: EMAIL_PATTERN,
  rule: 'must be an e-mail address',
});

export const RoleName = OneOf(['admin', 'member', 'guest']);

export const TAGS: [string] = ['Sign-in and tokens'];
export const TOO_MANY = error(429, 'Too many failed attempts');
export const TOO_EASY = error(422, '`This password is too easy to guess`');

export const ForgottenBody = Named(
  'ForgottenPassword',
  Closed({
    email: Type.String({ minLength: 1, maxLength: 320, description: 'Your address.' }),
  }),
);

export const ResetBody = Named(
  'PasswordReset',
  Closed({
    token: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The end of the mailed link.',
    }),
    password: Described('The new password.', Password),
  }),
);

export const ExpiresAt = Type.Optional(Nullable(Timestamp));

/** Bound to it, a token acts as the agent, for its owner. */
export const TokenAgent = Type.Optional(
  Nullable(Type.String({ maxLength: 255 }), {
    description: 'The agent that acts with it; others read `name (for person)`.',
  }),
);

export const TokenBody = Named(
  'TokenInput',
  Closed({
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Such as the program that uses it.',
    }),
    scopes: Type.Array(ScopeName, {
      maxItems: 20,
      description: 'Within scope_ceiling of get_workspace.',
    }),
    expires_at: Described('When it ends; null or left out: never.', ExpiresAt),
    agent_id: TokenAgent,
  }),
);

export const tokenFields = {
  token_id: Uuid,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  agent_id: Nullable(Type.String()),
};

export const TokenList = Named(
  'TokenList',
  Closed({ tokens: Type.Array(Closed(tokenFields)), total: Type.Integer() }),
);
export const CreatedToken = Named('NewToken', Closed({ ...tokenFields, token: Type.String() }));

export const Credential = Named(
  'Credential',
  Closed({
    kind: OneOf(['pat', 'session']),
    user_id: Type.Integer(),
    brand_id: Type.Integer(),
    role: RoleName,
    scopes: Type.Array(ScopeName),
    expires_at: Nullable(Timestamp),
    last_used_at: Nullable(Timestamp),
    agent_id: Nullable(Type.String()),
  }),
);

/** For people without a password; neither is needed within five minutes of a sign-in at the provider. */
export const ProofCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Without a password: the code of send_proof_code.',
});

export const AcceptBody = Named(
  'InvitationAcceptance',
  Closed({
    full_name: Type.Optional(Described('Needed without an account.', SingleLineName)),
    password: Type.Optional(Described('For your new account.', Password)),
  }),
);

export const Accepted = Named('AcceptedInvitation', Closed({ brand_id: Type.Integer(), role: RoleName }));

export const InvitationOffer = Named(
  'InvitationOffer',
  Closed({
    brand: Closed({ name: Type.String() }),
    inviter: Closed({ name: Nullable(Type.String()) }),
    email: Type.String({ description: 'Only its owner can accept.' }),
    role: RoleName,
    new_person: Type.Boolean({
      description: "Accepting asks for a name and a password; else for the person's session.",
    }),
  }),
);
