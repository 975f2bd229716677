export const MAIL_NAME_PATTERN = '^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$';
export const MAIL_NAME_RULE =
  'must have 3 to 30 lowercase letters, numbers or hyphens and start and end with a letter or number';

/** Names that other mail systems expect the operator behind, or that the service signs with. */
const RESERVED = new Set([
  'abuse',
  'hostmaster',
  'mailer-daemon',
  'no-reply',
  'noreply',
  'postmaster',
  'webmaster',
]);

export const isReservedMailName = (name: string): boolean => RESERVED.has(name);
