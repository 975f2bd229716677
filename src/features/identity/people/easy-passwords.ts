import { readFile } from 'node:fs/promises';
import { foldText } from '../../../kernel/account-names.js';
import { passwordTooEasy } from '../identity.errors.js';

/** Whose password it is to be. */
export interface PasswordOwner {
  email: string;
  full_name: string;
}

/** Those of the 10,000 most common passwords that are long enough to be chosen here, folded, one a line. */
const LIST = new URL('./common-passwords.txt', import.meta.url);

/** Read when the first password is chosen, and kept as one text: most processes never need it. */
let common: Promise<string> | undefined;

async function isCommon(password: string): Promise<boolean> {
  common ??= readFile(LIST, 'utf8').then((text) => `\n${text}`);
  const folded = foldText(password);
  return !folded.includes('\n') && (await common).includes(`\n${folded}\n`);
}

/** Without what stands between words, so that `ada lindqvist` and `Ada.Lindqvist` are one name. */
const squeeze = (text: string): string => foldText(text).replace(/[\s\p{P}\p{S}]+/gu, '');

function isOwn(password: string, { email, full_name }: PasswordOwner): boolean {
  const given = squeeze(password);
  const mailbox = email.slice(0, email.lastIndexOf('@'));
  const names = [email, mailbox, full_name, ...full_name.split(/\s+/)].map(squeeze);
  return given !== '' && names.includes(given);
}

/** Every password passes here before it becomes one. */
export async function refuseEasyPassword(password: string, owner: PasswordOwner): Promise<void> {
  if (isOwn(password, owner) || (await isCommon(password))) throw passwordTooEasy();
}
