import { hash, verify } from '@node-rs/argon2';
import { randomSecret } from '../../../kernel/secrets.js';
import { type PasswordOwner, refuseEasyPassword } from './easy-passwords.js';

// Argon2id is the library's default algorithm.
let cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

const hashPassword = (password: string): Promise<string> => hash(password, cost);

/**
 * Tests make thousands of people, and half of what they cost was to hash their passwords. Nothing that can be set leads
 * here: only code that is no part of the program calls it.
 */
export function hashCheaplyInTests(): void {
  cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
}

/** The only way to a hash that can be kept: a password that is easy to guess does not become one. */
export async function hashNewPassword(password: string, owner: PasswordOwner): Promise<string> {
  await refuseEasyPassword(password, owner);
  return hashPassword(password);
}

let standIn: Promise<string> | undefined;

/** Takes as long for a person who does not exist, or has no password, as for one who does. */
export async function isPassword(
  password: string,
  passwordHash: string | null | undefined,
): Promise<boolean> {
  standIn ??= hashPassword(randomSecret());
  const matches = await verify(passwordHash ?? (await standIn), password);
  return matches && passwordHash != null;
}
