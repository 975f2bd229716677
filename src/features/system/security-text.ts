import { type Clock, DAY, secondsFrom } from '../../kernel/clock.js';

interface SecurityTextOptions {
  clock: Clock;
  baseUrl: string;
  /** As URIs, the best one first. */
  contacts: readonly string[];
}

const VALID_DAYS = 180;

/** What whoever found a fault reads first, as RFC 9116 has it. The same bytes all day long. */
export function securityText({ clock, baseUrl, contacts }: SecurityTextOptions): string {
  const today = clock.now().toISOString().slice(0, 10);
  const expires = secondsFrom(new Date(`${today}T00:00:00.000Z`), VALID_DAYS * DAY);
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    `Policy: ${baseUrl}/security-policy`,
    '',
  ].join('\n');
}

export const securityPolicy = (contacts: readonly string[]): string =>
  `How to report a security fault of this Guildhall

Write to: ${contacts.join(', ')}

Say what you did, what happened and what should have happened: the request as you sent it, the X-Request-Id of the
answer, and the version from /api/v1/system/info. Send no data of other people and no working secrets.

You may test with accounts and workspaces of your own. Please do not read, change or delete what belongs to others, do
not flood the service, and give us time to mend the fault before you tell about it.

You get an answer from a person within three working days and news at least every two weeks until it is mended. Whoever
keeps to this page has nothing to fear from us, and is named with thanks if they like.
`;
