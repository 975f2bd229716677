import { Type } from 'typebox';
import { Closed, Described, Named, Timestamp } from '../../../platform/http/declaration/schemas.js';
import { MAIL_NAME_PATTERN, MAIL_NAME_RULE } from './mail-addresses.rules.js';

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
