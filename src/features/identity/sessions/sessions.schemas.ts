import { Type } from 'typebox';
import { Closed, Named, Nullable, Timestamp, Uuid } from '../../../platform/http/declaration/schemas.js';
import { RoleName, ScopeName } from '../identity.schemas.js';

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
