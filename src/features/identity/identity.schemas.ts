import { Type } from 'typebox';
import { PLANS, SCOPES } from '../../kernel/access.js';
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
  Type.Array(ScopeName, { maxItems: 20, description: 'Scopes that its tokens may hold.' }),
);
export const Password = Type.String({ minLength: 8, maxLength: 128 });

/** Requires a domain with a dot, because mail to `person@localhost` cannot be delivered. */
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

/** A token with an agent acts as the agent on behalf of its owner. */
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

/** For people without a password; not required within five minutes of a sign-in at the provider. */
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

export const SignInBody = Named(
  'SignIn',
  Closed({
    email: Type.String({ minLength: 1, maxLength: 320, description: 'Your address.' }),
    password: Type.String({ maxLength: 1024, description: 'Your password.' }),
    brand_id: Type.Optional(Type.Integer({ description: 'Which workspace, when you have several.' })),
  }),
);

const User = Named(
  'SessionUser',
  Closed({ user_id: Type.Integer(), email: Type.String(), full_name: Type.String() }),
);
const Brand = Named('SessionWorkspace', Closed({ brand_id: Type.Integer(), name: Type.String() }));

export const SignedInAnswer = Named('SignedIn', Closed({ user: User, brand: Brand, role: RoleName }));

export const CodeWanted = Named(
  'CodeWanted',
  Closed({
    mfa_required: Type.Literal(true),
    challenge: Type.String({ description: 'For answer_sign_in_challenge.' }),
  }),
);

export const CodeBody = Named(
  'SignInCode',
  Closed({
    challenge: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Of sign_in; it lives for ten minutes.',
    }),
    code: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Six digits, or a recovery code.',
      examples: ['123456'],
    }),
  }),
);

export const SessionInfo = Named(
  'Session',
  Closed({ user: User, brand: Brand, role: RoleName, scopes: Type.Array(ScopeName) }),
);

export const SwitchBody = Named(
  'WorkspaceSwitch',
  Closed({ brand_id: Type.Integer({ description: 'One of yours, as get_me lists it.' }) }),
);

export const OwnSessions = Named(
  'OwnSessions',
  Closed({
    sessions: Type.Array(
      Closed({
        session_id: Uuid,
        created_at: Timestamp,
        last_seen_at: Timestamp,
        address: Nullable(Type.String()),
        agent: Nullable(Type.String({ description: 'The user agent, cut.' })),
        current: Type.Boolean(),
      }),
    ),
    total: Type.Integer(),
  }),
);

export const Me = Named(
  'Me',
  Closed({
    user: Closed({
      user_id: Type.Integer(),
      email: Type.String(),
      full_name: Type.String(),
      kind: Type.String(),
    }),
    brand: Closed({ brand_id: Type.Integer(), name: Type.String(), plan: OneOf(PLANS) }),
    role: RoleName,
    workspaces: Type.Array(Closed({ brand_id: Type.Integer(), name: Type.String(), role: RoleName })),
    mfa: Closed({ totp: Type.Boolean(), recovery_codes_left: Type.Integer() }),
    sign_in: Type.Array(OneOf(['password', 'oidc'])),
    agent: Nullable(Closed({ agent_id: Type.String(), name: Type.String() }), {
      description: 'Whose token it is; it acts for you.',
    }),
  }),
);

/** Any text, because this password is only compared. */
const GivenPassword = Type.String({ maxLength: 1024 });

export const MePatch = Named(
  'MePatch',
  Closed({
    full_name: Type.Optional(Described('Your name.', SingleLineName)),
    password: Type.Optional(
      Closed(
        {
          current: Described('The one you have.', GivenPassword),
          new: Described('The one you want.', Password),
        },
        { description: 'A new password; your other sessions end.' },
      ),
    ),
  }),
);

export const TotpSecret = Named(
  'TotpSecret',
  Closed({
    secret: Type.String({ description: 'Base32, to be typed into an authenticator.' }),
    uri: Type.String({ description: '`otpauth://…`, for a QR code.' }),
  }),
);

export const TotpConfirmation = Named(
  'TotpConfirmation',
  Closed({
    code: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Six digits of your authenticator.',
      examples: ['123456'],
    }),
  }),
);

export const RecoveryCodes = Named(
  'RecoveryCodes',
  Closed({ recovery_codes: Type.Array(Type.String(), { description: 'Ten, shown this once.' }) }),
);

export const PasswordProof = Named(
  'PasswordProof',
  Closed({
    password: Type.Optional(Described('Your password.', GivenPassword)),
    code: Type.Optional(ProofCode),
  }),
);
