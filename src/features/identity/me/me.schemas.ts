import { Type } from 'typebox';
import { PLANS } from '../../../kernel/access.js';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  SingleLineName,
} from '../../../platform/http/declaration/schemas.js';
import { Password, ProofCode, RoleName } from '../identity.schemas.js';

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

/** A password that is only compared may be any text. */
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
