import { Type } from 'typebox';
import { Closed, Timestamp } from '../../http/schemas.js';
import { MAIL_NAME_PATTERN, MAIL_NAME_RULE } from './mail-addresses.rules.js';

const MailName = Type.String({
  pattern: MAIL_NAME_PATTERN,
  rule: MAIL_NAME_RULE,
  description: MAIL_NAME_RULE,
});

export const MailNameQuery = Type.Object({ name: MailName });
export const MailNameBody = Closed({ name: MailName });

export const AvailabilitySchema = Closed({
  name: Type.String(),
  domain: Type.String(),
  available: Type.Boolean(),
});

export const RenamedSchema = Closed({
  address: Type.String(),
  forwarding_from: Type.String({ description: 'The previous address' }),
  forwards_until: Timestamp,
});
