import type { Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import { mfaStore, type TotpFactor } from './mfa.store.js';
import { digestRecoveryCode } from './recovery-codes.js';
import { findStep } from './totp.js';

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
