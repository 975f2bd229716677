import { type Static, Type } from 'typebox';
import { Closed, Named, OneOf, Timestamp } from '../../../platform/http/declaration/schemas.js';

export const SECRET_RECIPIENTS = ['setup', 'checks', 'coder'] as const;
export type SecretRecipient = (typeof SECRET_RECIPIENTS)[number];

export const LARGEST_SECRET_BYTES = 64 * 1024;
const Recipients = Type.Array(OneOf(SECRET_RECIPIENTS), { minItems: 1, uniqueItems: true });

export const ProjectSecretInput = Named(
  'ProjectSecretInput',
  Closed({
    value: Type.String({
      minLength: 1,
      maxLength: LARGEST_SECRET_BYTES,
      description: 'At most 64 KiB. Never returned.',
    }),
    to: Type.Optional({
      ...Recipients,
      description: 'Who gets it as an environment variable. Default: setup and checks.',
    }),
  }),
);
export type ProjectSecretInput = Static<typeof ProjectSecretInput>;

export const ProjectSecret = Named(
  'ProjectSecret',
  Closed({ name: Type.String(), to: Recipients, created_at: Timestamp, updated_at: Timestamp }),
);
export type ProjectSecret = Static<typeof ProjectSecret>;

export const ProjectSecretList = Named('ProjectSecretList', Closed({ secrets: Type.Array(ProjectSecret) }));
