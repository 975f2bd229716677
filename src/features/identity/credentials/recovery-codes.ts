import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../kernel/secrets.js';

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
