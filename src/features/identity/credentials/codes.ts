import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { sha256Hex } from '../../../kernel/secrets.js';
import type { Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import { mfaStore, type TotpFactor } from './mfa.store.js';

/** A secret opens only for the person it was sealed for. */
export const totpPlace = (userId: number): string => `totp:${userId}`;

const TOTP_CODE = /^\d{6}$/;

/** The step of the code, when it is right and neither it nor a later one was used before. */
export function findFreshStep(
  secrets: SecretBox,
  userId: number,
  factor: TotpFactor,
  code: string,
  now: Date,
): number | undefined {
  const digits = code.replace(/\s/g, '');
  if (!TOTP_CODE.test(digits)) return undefined;
  const step = findStep(secrets.open(factor.sealed_secret, totpPlace(userId)), digits, now);
  return step !== undefined && step > (factor.last_step ?? -1) ? step : undefined;
}

/** Uses up a code, of the authenticator or of recovery, and says which; undefined when it is wrong or was used. */
export async function spendCode(
  tx: Tx,
  secrets: SecretBox,
  userId: number,
  factor: TotpFactor,
  code: string,
  now: Date,
): Promise<'totp' | 'recovery-code' | undefined> {
  const store = mfaStore(tx);
  const step = findFreshStep(secrets, userId, factor, code, now);
  if (step !== undefined) {
    await store.spendStep(userId, step);
    return 'totp';
  }
  return (await store.spendRecoveryCode(userId, digestRecoveryCode(code), now)) ? 'recovery-code' : undefined;
}

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
function findStep(secret: string, code: string, now: Date): number | undefined {
  const timestamp = now.getTime();
  const delta = totpOf(secret, '').validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta;
}

const HOW_MANY = 10;
/** Beyond guessing, so that a fast digest is enough. */
const LENGTH = 16;
/** Without letters and numbers that look alike; 32, so that each byte gives one without preferring any. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz023456789';

/** `abcd-efgh-jkmn-pqrs`, each for one sign-in without the authenticator. */
export const newRecoveryCodes = (): string[] => Array.from({ length: HOW_MANY }, newRecoveryCode);

function newRecoveryCode(): string {
  const letters = [...randomBytes(LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}

/** However it was typed: dashes, spaces and case do not matter. */
export const digestRecoveryCode = (code: string): string =>
  sha256Hex(code.replace(/[\s-]/g, '').toLowerCase());
