import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type DeskFiles, readIfThere, remove, writeWhole } from '../desk-files.js';
import { sha256 } from '../protocol.js';
import { makeBuildFolder, readBuildFile, writeBuildFile } from '../runner/build-files.js';
import type { Secret } from '../spool/secret-filter.js';
import { isRecord, parseObject } from '../work/build-protocol.js';

type Login = Record<string, unknown>;

interface LoginKind {
  /** Path of the login below the user's home. */
  file: string;
  /** Fields that the program renews; all other fields identify the account. */
  renewed: { in: string | null; fields: string[] }[];
  /** Time in milliseconds of the last renewal or of expiry, depending on the runtime. */
  ageOf(login: Login): number | undefined;
  /** The furthest that this time can be in the future. */
  longestAheadMs: number;
}

const DAY_MS = 24 * 60 * 60_000;

const KINDS: Record<string, LoginKind> = {
  claude_code: {
    file: '.claude/.credentials.json',
    renewed: [
      { in: 'claudeAiOauth', fields: ['accessToken', 'refreshToken', 'expiresAt', 'refreshTokenExpiresAt'] },
    ],
    ageOf: ({ claudeAiOauth }) =>
      isRecord(claudeAiOauth) && typeof claudeAiOauth['expiresAt'] === 'number'
        ? claudeAiOauth['expiresAt']
        : undefined,
    longestAheadMs: 31 * DAY_MS,
  },
  codex: {
    file: '.codex/auth.json',
    renewed: [
      { in: 'tokens', fields: ['id_token', 'access_token', 'refresh_token'] },
      { in: null, fields: ['last_refresh'] },
    ],
    ageOf: ({ last_refresh }) =>
      typeof last_refresh === 'string' && !Number.isNaN(Date.parse(last_refresh))
        ? Date.parse(last_refresh)
        : undefined,
    longestAheadMs: 60 * 60_000,
  },
};

const LARGEST_BYTES = 64 * 1024;
const KEPT_BEFORE = 5;

export const readLogin = (runtime: string, home: string): string | undefined => {
  const kind = KINDS[runtime];
  return kind && readIfThere(join(home, kind.file));
};

/** The build's user has its own home, so it gets a copy of the login. */
export function lendLogin(
  runtime: string,
  login: string | undefined,
  buildHome: string,
  uid: number | null,
): void {
  const kind = KINDS[runtime];
  if (!kind) return;
  const target = join(buildHome, kind.file);
  if (login === undefined) makeBuildFolder(uid, dirname(target));
  else writeBuildFile(uid, target, login);
}

export const readBorrowed = (runtime: string, buildHome: string, uid: number | null): string | undefined => {
  const kind = KINDS[runtime];
  return kind && readBuildFile(uid, join(buildHome, kind.file), LARGEST_BYTES);
};

/** Every token in a login is a secret. */
export function secretsOfLogin(login: string | undefined): Secret[] {
  const found: Secret[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one);
    if (!isRecord(value)) return;
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === 'string' && /token|key|secret/i.test(name))
        found.push({ name: `${name} of the login`, value: one });
      else walk(one);
    }
  };
  walk(parseObject(login ?? ''));
  return found;
}

interface Borrowed {
  runtime: string;
  ownerHome: string;
  lent: string | undefined;
  borrowed: string | undefined;
  now: Date;
}

/**
 * Renewing a login invalidates the previous one, so the renewed fields go back to the owner, if the account
 * is the same and the owner's login has not changed. A backup is kept, because the coder could have written
 * anything.
 */
export function returnLogin({ runtime, ownerHome, lent, borrowed, now }: Borrowed): void {
  const kind = KINDS[runtime];
  if (!kind || lent === undefined) return;
  const path = join(ownerHome, kind.file);
  if (readIfThere(path) !== lent) return;
  const own = parseObject(lent);
  const back = parseObject(borrowed ?? '');
  if (!own || !back || !isRenewal(kind, own, back, now)) return;
  const { uid, gid, mode } = statSync(path);
  const put = (file: string, content: string) => {
    writeWhole(file, content, 0o600);
    chownSync(file, uid, gid);
    chmodSync(file, mode & 0o777);
  };
  put(`${path}.${now.getTime()}.before`, lent);
  put(path, JSON.stringify(back, null, 2));
  forgetOldest(path);
}

function isRenewal(kind: LoginKind, own: Login, back: Login, now: Date): boolean {
  const age = kind.ageOf(own);
  const newAge = kind.ageOf(back);
  if (age === undefined || newAge === undefined || newAge <= age) return false;
  if (newAge > now.getTime() + kind.longestAheadMs) return false;
  const [before, after] = [splitLogin(kind, own), splitLogin(kind, back)];
  return (
    isDeepStrictEqual(before.identity, after.identity) &&
    before.renewed.every((value, index) => isAlike(value, after.renewed[index]))
  );
}

/** Separates the fields that a renewal changes from the fields that identify the account. */
function splitLogin(kind: LoginKind, login: Login): { identity: Login; renewed: unknown[] } {
  const identity = structuredClone(login);
  const renewed: unknown[] = [];
  for (const { in: name, fields } of kind.renewed) {
    const holder = name === null ? identity : identity[name];
    for (const field of fields) {
      renewed.push(isRecord(holder) ? holder[field] : undefined);
      if (isRecord(holder)) delete holder[field];
    }
  }
  return { identity, renewed };
}

/** Same types on both sides, and tokens must belong to the same account. */
function isAlike(before: unknown, after: unknown): boolean {
  if (typeof before !== typeof after) return false;
  if (typeof before !== 'string' || typeof after !== 'string') return true;
  return after !== '' && isDeepStrictEqual(holderOf(before), holderOf(after));
}

/** The account in a JWT's claims; null for an opaque token. */
function holderOf(token: string): unknown {
  const claims = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  if (!claims) return null;
  const auth = claims['https://api.openai.com/auth'];
  const account = isRecord(auth) ? auth['chatgpt_account_id'] : undefined;
  return [claims['iss'], claims['sub'], account];
}

function forgetOldest(path: string): void {
  const kept = readdirSync(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}.`) && /\.\d+\.before$/.test(name))
    .sort();
  for (const name of kept.slice(0, -KEPT_BEFORE)) remove(join(dirname(path), name));
}

type Files = Pick<DeskFiles, 'refusedLogins'>;

/** Messages that mean a refused login; keep this list equal to the one in the service. */
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

/** Remembers a refused login by its digest, because the file itself does not show the refusal. */
export function noteRefusedLogin(files: Files, runtime: string, login: string): void {
  const digests = { ...readDigests(files), [runtime]: sha256(login) };
  writeWhole(files.refusedLogins, JSON.stringify(digests), 0o600);
}

export function forgetRefusedLogin(files: Files, runtime: string): void {
  const { [runtime]: known, ...rest } = readDigests(files);
  if (known !== undefined) writeWhole(files.refusedLogins, JSON.stringify(rest), 0o600);
}

/** The digest no longer matches after a new sign-in or a renewal. */
export const readRefused =
  (files: Files) =>
  (runtime: string, login: string): boolean =>
    readDigests(files)[runtime] === sha256(login);
