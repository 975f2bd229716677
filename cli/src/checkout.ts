import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { misuse } from './failure.js';

/** The settings that `guildhall.json` at the root of a repository can contain. */
export interface CheckoutSettings {
  url?: string;
  project_id?: string;
  board_id?: string;
  agent_id?: string;
}

export interface Checkout {
  root: string;
  /** The git folder of this worktree, and the folder that all worktrees of the repository share. */
  gitFolder: string;
  commonFolder: string;
  settings: CheckoutSettings;
}

export const SETTINGS_FILE = 'guildhall.json';
const KEYS = ['url', 'project_id', 'board_id', 'agent_id'] as const;

/** Reads files instead of starting git, because this runs before every command. */
export function findCheckout(folder: string): Checkout | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const mark = join(at, '.git');
    if (existsSync(mark)) {
      const gitFolder = readGitFolder(mark);
      if (gitFolder)
        return { root: at, gitFolder, commonFolder: readCommon(gitFolder), settings: readSettings(at) };
    }
    if (dirname(at) === at) return undefined;
  }
}

/** In a linked worktree `.git` is a file that contains the path of the git folder. */
function readGitFolder(mark: string): string | undefined {
  if (statSync(mark).isDirectory()) return mark;
  const [, place] = /^gitdir: (.+)$/m.exec(readFileSync(mark, 'utf8')) ?? [];
  return place && resolve(dirname(mark), place.trim());
}

function readCommon(gitFolder: string): string {
  try {
    return resolve(gitFolder, readFileSync(join(gitFolder, 'commondir'), 'utf8').trim());
  } catch {
    return gitFolder;
  }
}

function readSettings(root: string): CheckoutSettings {
  const path = join(root, SETTINGS_FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return {};
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw misuse(`${path} is not valid JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw misuse(`${path} must contain a JSON object with ${KEYS.join(', ')}`);
  const given = value as Record<string, unknown>;
  const settings: CheckoutSettings = {};
  for (const key of KEYS) {
    const each = given[key];
    if (each === undefined || each === null) continue;
    if (typeof each !== 'string') throw misuse(`${key} in ${path} must be a string`);
    settings[key] = each;
  }
  return settings;
}

/** The URLs of the remotes, `origin` first. */
export function listRemotes({ commonFolder }: Checkout): string[] {
  let text: string;
  try {
    text = readFileSync(join(commonFolder, 'config'), 'utf8');
  } catch {
    return [];
  }
  const found: { name: string; url: string }[] = [];
  let section: string | undefined;
  for (const line of text.split('\n')) {
    const [, heading] = /^\s*\[(.*?)\]/.exec(line) ?? [];
    if (heading !== undefined) section = /^remote\s+"(.*)"$/.exec(heading.trim())?.[1];
    const [, url] = /^\s*url\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (section !== undefined && url !== undefined) found.push({ name: section, url: unquote(url) });
  }
  return found
    .sort((a, b) => Number(b.name === 'origin') - Number(a.name === 'origin'))
    .map(({ url }) => url);
}

const unquote = (text: string) => text.replace(/^"(.*)"$/, '$1').replaceAll('\\\\', '\\');

/** Gives `git@host:team/app.git`, `ssh://git@host/team/app` and `https://host/team/app` the same name. */
export function nameRepository(address: string, root = '/'): string {
  const text = address.trim();
  const trim = (path: string) =>
    path
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .replace(/^\/+/, '');
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? [];
  if (scheme?.toLowerCase() === 'file') return `file:${realPath(`/${rest!.replace(/^[^/]*\//, '')}`)}`;
  if (scheme) {
    const [, host = '', path = ''] = /^(?:[^@/]*@)?([^/]*)\/?(.*)$/.exec(rest!) ?? [];
    return `${host.replace(/:\d+$/, '').toLowerCase()}/${trim(path)}`;
  }
  const [, host, path] = /^(?:[^@/:]+@)?([^/:]+):(?!\\)(.*)$/.exec(text) ?? [];
  if (host !== undefined) return `${host.toLowerCase()}/${trim(path!)}`;
  return `file:${realPath(resolve(root, text))}`;
}

export function realPath(path: string): string {
  const plain = path.replace(/\/+$/, '').replace(/\/\.git$/, '');
  try {
    return realpathSync(plain);
  } catch {
    return plain;
  }
}

/**
 * Converts a path typed in `folder` to the service's form: relative to the root, and with a trailing `/` for
 * a folder. A path that exists only relative to the root is taken as relative to the root.
 */
export function pathInCheckout({ root }: Checkout, folder: string, given: string): string {
  const [file = '', ...symbol] = given.split('#');
  const fromHere = resolve(folder, file);
  const absolute = existsSync(fromHere) || !existsSync(join(root, file)) ? fromHere : join(root, file);
  const inside = relative(root, absolute);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    throw misuse(`${given} is outside of ${root}`, 'Use a path in the current checkout.');
  const path = inside.split(sep).join('/');
  const isFolder = path !== '' && (file.endsWith('/') || isDirectory(absolute));
  return [isFolder ? `${path}/` : path || './', ...symbol].join('#');
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
