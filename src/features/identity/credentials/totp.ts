import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Guildhall';
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** A clock may be a step off, either way. */
const WINDOW = 1;

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });

/** What an authenticator program reads as a picture or a link. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString();

/** The step of time whose code it is, near now; undefined for any other text. */
export function findStep(secret: string, code: string, now: Date): number | undefined {
  const timestamp = now.getTime();
  const delta = totpOf(secret, '').validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta;
}
