import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { sha256Hex } from '../../../kernel/secrets.js';
import type { Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import { mfaStore, type TotpFactor } from './mfa.store.js';

export const totpSealName = (userId: number): string => `totp:${userId}`;

const TOTP_CODE = /^\d{6}$/;

/** Returns the time step of a correct code; undefined if this or a later step was already used. */
export function findFreshStep(
  secrets: SecretBox,
  userId: number,
  factor: TotpFactor,
  code: string,
  now: Date,
): number | undefined {
  const digits = code.replace(/\s/g, '');
  if (!TOTP_CODE.test(digits)) return undefined;
  const step = findStep(secrets.open(factor.sealed_secret, totpSealName(userId)), digits, now);
  return step !== undefined && step > (factor.last_step ?? -1) ? step : undefined;
}

/** Undefined if the code is wrong or was used. */
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
/** Tolerates clocks that are one step off. */
const WINDOW = 1;

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });

export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString();

function findStep(secret: string, code: string, now: Date): number | undefined {
  const timestamp = now.getTime();
  const delta = totpOf(secret, '').validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta;
}

const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 16;
/** Without characters that look alike; 32 characters, so that every byte maps to one without bias. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789';

/** Codes such as `abcd-efgh-jkmn-pqrs`, each valid for one sign-in without the authenticator. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newRecoveryCode);

function newRecoveryCode(): string {
  const letters = [...randomBytes(RECOVERY_CODE_LENGTH)]
    .map((byte) => ALPHABET[byte % ALPHABET.length])
    .join('');
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}

/** Ignores dashes, spaces and case. */
export const digestRecoveryCode = (code: string): string =>
  sha256Hex(code.replace(/[\s-]/g, '').toLowerCase());
