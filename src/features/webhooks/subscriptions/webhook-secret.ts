import { createHmac, randomBytes } from 'node:crypto';
import { DAY, secondsFrom } from '../../../kernel/clock.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';

/** Secrets and signatures as Standard Webhooks has them: https://www.standardwebhooks.com */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const BOTH_SIGN_SECONDS = DAY;
/** Each makes a header longer, so only the last few that were rotated away within the day sign on. */
const MOST_PAST = 3;

export interface PastSecret {
  sealed: string;
  until: string;
}

/** The secrets of one webhook as its row keeps them. */
export interface KeptSecrets {
  webhook_id: string;
  secret: string;
  past_secrets: PastSecret[];
}

export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

export const sealedFor = (webhookId: string): string => `webhook:${webhookId}`;

/** What signs beside the new secret once the present one has given way to it. */
export const retireSecret = ({ secret, past_secrets }: KeptSecrets, now: Date): PastSecret[] =>
  [{ sealed: secret, until: secondsFrom(now, BOTH_SIGN_SECONDS).toISOString() }, ...past_secrets]
    .filter(({ until }) => new Date(until) > now)
    .slice(0, MOST_PAST);

/** One signature for every secret that counts now, the newest first. */
export function signMessage(
  box: SecretBox,
  { webhook_id, secret, past_secrets }: KeptSecrets,
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  now: Date,
): string {
  const past = past_secrets.filter(({ until }) => new Date(until) > now);
  return [secret, ...past.map(({ sealed }) => sealed)]
    .map((sealed) => box.open(sealed, sealedFor(webhook_id)).slice(PREFIX.length))
    .map((key) => createHmac('sha256', Buffer.from(key, 'base64')))
    .map((hmac) => `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
