import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolder } from '../state.js';

/** Sessions last less than a week. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

const folderOf = (env: Record<string, string | undefined>) => join(stateFolder(env), 'shown');

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

/**
 * Returns the lessons that this session has not seen, and remembers them. A rewritten lesson counts as new.
 */
export function rememberShown<T extends { id: string; body: string }>(
  env: Record<string, string | undefined>,
  session: string | undefined,
  lessons: T[],
): T[] {
  if (session === undefined || lessons.length === 0) return lessons;
  const folder = folderOf(env);
  const file = join(folder, digest(session));
  const before = new Set(read(file).split('\n'));
  const fresh = lessons.filter(({ id, body }) => !before.has(digest(`${id}\n${body}`)));
  if (fresh.length === 0) return fresh;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (before.size <= 1) removeOld(folder);
    const lines = fresh.map(({ id, body }) => digest(`${id}\n${body}`)).join('\n');
    writeFileSync(file, `${lines}\n`, { flag: 'a', mode: 0o600 });
  } catch {
    // If the file cannot be written, lessons are shown again.
  }
  return fresh;
}

export function forgetShown(env: Record<string, string | undefined>, session: string | undefined): void {
  if (session === undefined) return;
  try {
    rmSync(join(folderOf(env), digest(session)), { force: true });
  } catch {
    // Old files are harmless, so failing to remove them is ignored.
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function removeOld(folder: string): void {
  const oldest = Date.now() - KEPT_MS;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (statSync(file).mtimeMs < oldest) rmSync(file, { force: true });
  }
}
