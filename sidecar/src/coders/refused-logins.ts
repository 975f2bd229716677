import { type DeskFiles, readIfThere, writeWhole } from '../desk-files.js';
import { sha256 } from '../protocol.js';
import { parseObject } from '../work/build-protocol.js';

type Files = Pick<DeskFiles, 'refusedLogins'>;

/** As the programs and their providers say that a login does not do; the service has the same list. */
const REFUSALS = [
  /\bplease run \/login\b/i,
  /\bnot logged in\b/i,
  /\binvalid api key\b/i,
  /\bauthentication_error\b/i,
  /\b(?:api error|status):? 401\b/i,
  /\b401 unauthorized\b/i,
  /\b(?:access|refresh|oauth) token\b.{0,80}\b(?:expired|revoked|already used|could not be refreshed)\b/i,
];

export const isLoginRefusal = (reason: string | undefined): boolean =>
  REFUSALS.some((words) => words.test(reason ?? ''));

const readDigests = (files: Files): Record<string, unknown> =>
  parseObject(readIfThere(files.refusedLogins) ?? '') ?? {};

/** A login looks the same whether its provider takes it or not: what was refused is remembered by its digest. */
export function noteRefusedLogin(files: Files, runtime: string, login: string): void {
  const digests = { ...readDigests(files), [runtime]: sha256(login) };
  writeWhole(files.refusedLogins, JSON.stringify(digests), 0o600);
}

/** It was taken again. */
export function forgetRefusedLogin(files: Files, runtime: string): void {
  const { [runtime]: known, ...rest } = readDigests(files);
  if (known !== undefined) writeWhole(files.refusedLogins, JSON.stringify(rest), 0o600);
}

/** Until somebody logs in anew, or the program has renewed the login. */
export const readRefused =
  (files: Files) =>
  (runtime: string, login: string): boolean =>
    readDigests(files)[runtime] === sha256(login);
