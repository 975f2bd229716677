import { readHost } from '../../../platform/outgoing/outgoing-address.js';
import {
  apiUrlMalformed,
  apiUrlNotEncrypted,
  apiUrlWithMore,
  notFollowing,
  repositoryMalformed,
} from '../forges.errors.js';
import type { ForgeKind } from './forge.js';
import { isLoopback } from './forge-call.js';

export interface ForgeDefaults {
  apiUrl: string;
  repository: string;
}

const API_PATHS: Record<ForgeKind, string> = { github: '/api/v3', gitlab: '/api/v4', forgejo: '/api/v1' };
const GITHUB = 'github.com';
const GITHUB_API = 'https://api.github.com';

const LONGEST_REPOSITORY = 500;
/** GitLab allows 20 levels of groups and the project itself. */
const MOST_PARTS = 21;
const PART = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;
const PLAIN_PART = /^[A-Za-z0-9_.-]+$/;

/**
 * Accepts `https://host/owner/name.git`, `ssh://git@host/owner/name.git` or `git@host:owner/name.git`;
 * undefined for a folder.
 */
export function deriveForge(kind: ForgeKind, repositoryUrl: string): ForgeDefaults | undefined {
  const place = readPlace(repositoryUrl);
  const repository = place?.path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  if (!place || repository === undefined || !isRepositoryName(kind, repository)) return undefined;
  return { apiUrl: apiUrlOf(kind, place.origin), repository };
}

function apiUrlOf(kind: ForgeKind, origin: string): string {
  const { hostname } = new URL(origin);
  if (kind === 'github' && [GITHUB, `www.${GITHUB}`, `ssh.${GITHUB}`].includes(hostname)) return GITHUB_API;
  return `${origin}${API_PATHS[kind]}`;
}

export function webUrlOf(kind: ForgeKind, apiUrl: string): string {
  const url = apiUrl.replace(/\/+$/, '');
  if (kind === 'github' && url === GITHUB_API) return `https://${GITHUB}`;
  return url.endsWith(API_PATHS[kind]) ? url.slice(0, -API_PATHS[kind].length) : new URL(url).origin;
}

/** Accepts `owner/name`, on GitLab with nested groups, and nothing that could change the path of a URL. */
export function isRepositoryName(kind: ForgeKind, name: string): boolean {
  const parts = name.split('/');
  const most = kind === 'gitlab' ? MOST_PARTS : 2;
  if (name.length > LONGEST_REPOSITORY || parts.length < 2 || parts.length > most) return false;
  const allowed = kind === 'gitlab' ? PART : PLAIN_PART;
  return parts.every((part) => allowed.test(part) && !/^\.+$/.test(part) && !part.endsWith('.git'));
}

function readPlace(text: string): { origin: string; path: string } | undefined {
  const scp = /^[\w.-]{1,100}@(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*):([^\s:][^\s]*)$/.exec(text);
  if (scp) return place('https:', scp[1]!, '', scp[2]!);
  if (!/^(?:https?|ssh):\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(text);
  // The SSH port does not apply to the API.
  if (protocol === 'ssh:') return place('https:', hostname, '', pathname);
  if (protocol === 'http:' && !isLoopback(hostname)) return undefined;
  return place(protocol, hostname, port, pathname);
}

function place(protocol: string, written: string, port: string, path: string) {
  const host = readHost(written);
  if (host === undefined) return undefined;
  try {
    return { origin: `${protocol}//${host}${port && `:${port}`}`, path: decodeURIComponent(path) };
  } catch {
    return undefined;
  }
}

export interface WrittenAddress {
  kind: ForgeKind;
  api_url?: string;
  repository?: string;
}

export function readForgeAddress(
  { kind, api_url, repository }: WrittenAddress,
  repositoryUrl: string | null,
): { apiUrl: string; repository: string } {
  const given = {
    apiUrl: api_url === undefined ? undefined : readApiUrl(api_url),
    repository: repository === undefined ? undefined : readRepository(kind, repository),
  };
  const derived = repositoryUrl === null ? undefined : deriveForge(kind, repositoryUrl);
  const apiUrl = given.apiUrl ?? derived?.apiUrl;
  const name = given.repository ?? derived?.repository;
  if (apiUrl !== undefined && name !== undefined) return { apiUrl, repository: name };
  throw notFollowing([
    ...(apiUrl === undefined ? ['api_url'] : []),
    ...(name === undefined ? ['repository'] : []),
  ]);
}

/** Rejects input that the URL parser would silently correct. */
function readApiUrl(text: string): string {
  if (!/^https?:\/\/[^\s\\/][^\s\\]*$/i.test(text) || !URL.canParse(text)) throw apiUrlMalformed();
  const url = new URL(text);
  const hasUser = url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text);
  if (hasUser || /[?#]/.test(text)) throw apiUrlWithMore();
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) throw apiUrlNotEncrypted();
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function readRepository(kind: ForgeKind, text: string): string {
  if (!isRepositoryName(kind, text))
    throw repositoryMalformed(kind === 'gitlab' ? 'group/name' : 'owner/name');
  return text;
}
