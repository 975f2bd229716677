import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readIfThere, writeWhole } from '../desk-files.js';
import { isRecord, parseObject } from '../work/build-protocol.js';
import { readPlainFile } from './custom.js';

/** Where each runtime keeps the login of its user, and how old a login is. */
const LOGINS: Record<string, { file: string; ageOf(login: Record<string, unknown>): number | undefined }> = {
  claude_code: {
    file: '.claude/.credentials.json',
    ageOf: ({ claudeAiOauth }) =>
      isRecord(claudeAiOauth) && typeof claudeAiOauth['expiresAt'] === 'number'
        ? claudeAiOauth['expiresAt']
        : undefined,
  },
  codex: {
    file: '.codex/auth.json',
    ageOf: ({ last_refresh }) =>
      typeof last_refresh === 'string' && !Number.isNaN(Date.parse(last_refresh))
        ? Date.parse(last_refresh)
        : undefined,
  },
};

const LARGEST_BYTES = 64 * 1024;

/** The build's user has a home of its own, so it gets a copy of the login that the desk's owner made. */
export function lendLogin(runtime: string, ownerHome: string, buildHome: string, uid: number | null): void {
  const login = LOGINS[runtime];
  if (!login) return;
  const target = join(buildHome, login.file);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  if (uid !== null) chownSync(dirname(target), uid, uid);
  const content = readIfThere(join(ownerHome, login.file));
  if (content === undefined) return;
  writeFileSync(target, content, { mode: 0o600 });
  if (uid !== null) chownSync(target, uid, uid);
}

/** A program that renewed its login has made the one it came from worthless: the newer goes back to the owner. */
export function returnLogin(runtime: string, ownerHome: string, buildHome: string): void {
  const login = LOGINS[runtime];
  if (!login) return;
  const path = join(ownerHome, login.file);
  const lent = parseObject(readPlainFile(join(buildHome, login.file), LARGEST_BYTES) ?? '');
  const own = parseObject(readIfThere(path) ?? '');
  if (!lent || !own) return;
  const age = login.ageOf(own);
  const newAge = login.ageOf(lent);
  if (age === undefined || newAge === undefined || newAge <= age) return;
  const { uid, gid, mode } = statSync(path);
  writeWhole(path, JSON.stringify(lent, null, 2), 0o600);
  chownSync(path, uid, gid);
  chmodSync(path, mode & 0o777);
}
