import { readFile } from 'node:fs/promises';
import { hash, verify } from '@node-rs/argon2';
import { foldText } from '../../../kernel/addresses.js';
import { randomSecret } from '../../../kernel/secrets.js';
import { passwordTooEasy } from '../identity.errors.js';

export interface PasswordOwner {
  email: string;
  full_name: string;
}

/** The most common passwords of 8 or more characters, case-folded, one per line. */
const LIST = new URL('./common-passwords.txt', import.meta.url);

/** Loaded when the first password is chosen, because most processes never need it. */
let common: Promise<string> | undefined;

async function isCommon(password: string): Promise<boolean> {
  common ??= readFile(LIST, 'utf8').then((text) => `\n${text}`);
  const folded = foldText(password);
  return !folded.includes('\n') && (await common).includes(`\n${folded}\n`);
}

/** Ignores spaces and punctuation, so that `ada lindqvist` and `Ada.Lindqvist` are the same name. */
const normalize = (text: string): string => foldText(text).replace(/[\s\p{P}\p{S}]+/gu, '');

function isOwn(password: string, { email, full_name }: PasswordOwner): boolean {
  const given = normalize(password);
  const mailbox = email.slice(0, email.lastIndexOf('@'));
  const names = [email, mailbox, full_name, ...full_name.split(/\s+/)].map(normalize);
  return given !== '' && names.includes(given);
}

async function refuseEasyPassword(password: string, owner: PasswordOwner): Promise<void> {
  if (isOwn(password, owner) || (await isCommon(password))) throw passwordTooEasy();
}

// Argon2id is the library's default algorithm.
let cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

const hashPassword = (password: string): Promise<string> => hash(password, cost);

/** For tests only, because they create thousands of people. */
export function hashCheaplyInTests(): void {
  cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
}

/** The only way to hash a new password, so that each one is checked. */
export async function hashNewPassword(password: string, owner: PasswordOwner): Promise<string> {
  await refuseEasyPassword(password, owner);
  return hashPassword(password);
}

let decoyHash: Promise<string> | undefined;

/** Takes the same time without a hash (unknown person or no password) as with one. */
export async function isPassword(
  password: string,
  passwordHash: string | null | undefined,
): Promise<boolean> {
  decoyHash ??= hashPassword(randomSecret());
  const matches = await verify(passwordHash ?? (await decoyHash), password);
  return matches && passwordHash != null;
}
