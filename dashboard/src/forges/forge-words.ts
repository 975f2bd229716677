import type { Forge, ForgeKind } from '../api/forges.js';

export const KINDS: readonly ForgeKind[] = ['github', 'gitlab', 'forgejo'];

export const KIND_WORDS: Record<ForgeKind, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  forgejo: 'Forgejo or Gitea',
};

/** Required token permissions, in the terms of each host's token page. */
export const TOKEN_HINTS: Record<ForgeKind, string> = {
  github:
    'A fine-grained token for this repository: contents, pull requests and issues to read and write; checks, commit statuses, actions and deployments to read.',
  gitlab: 'A project access token with the role Developer and the scope api.',
  forgejo: 'A token that may read and write repositories and issues.',
};

/** The demo world's simulated host marks itself in its repository names. */
const SIMULATED = 'simulated-host/';
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\//;

export const isSimulated = ({ api_url, repository }: Pick<Forge, 'api_url' | 'repository'>): boolean =>
  repository.startsWith(SIMULATED) && LOOPBACK.test(`${api_url}/`);

export const isSimulatedAddress = (url: string): boolean =>
  LOOPBACK.test(url) && new URL(url).pathname.startsWith(`/${SIMULATED}`);

export const nameOf = (forge: Pick<Forge, 'kind' | 'api_url' | 'repository'>): string =>
  isSimulated(forge) ? 'Simulated host' : KIND_WORDS[forge.kind];

const API_PATHS: Record<ForgeKind, string> = { github: '/api/v3', gitlab: '/api/v4', forgejo: '/api/v1' };

/** The web URL of the repository; undefined if it cannot be derived from the API URL. */
export function webAddress({
  kind,
  api_url,
  repository,
}: Pick<Forge, 'kind' | 'api_url' | 'repository'>): string | undefined {
  if (api_url.replace(/\/$/, '') === 'https://api.github.com') return `https://github.com/${repository}`;
  const at = api_url.indexOf(API_PATHS[kind]);
  return at < 0 || !/^https?:\/\//.test(api_url) ? undefined : `${api_url.slice(0, at)}/${repository}`;
}

interface Place {
  host: string;
  repository: string;
}

/** Accepts `https://host/owner/name.git`, `ssh://git@host/owner/name` and `git@host:owner/name.git`. */
export function placeOf(url: string | undefined): Place | undefined {
  const found = /^(?:https|ssh):\/\/(?:[^@/]+@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url ?? '');
  const [, host, path] = found ?? /^[^@\s/]+@([^:/\s]+):(.+)$/.exec(url ?? '') ?? [];
  const repository = path?.replace(/\/+$/, '').replace(/\.git$/, '');
  return host && repository?.includes('/') ? { host, repository } : undefined;
}

export function kindOf(place: Place | undefined): ForgeKind {
  if (/gitlab/.test(place?.host ?? '')) return 'gitlab';
  return /gitea|forgejo|codeberg/.test(place?.host ?? '') ? 'forgejo' : 'github';
}

export function apiOf(kind: ForgeKind, place: Place | undefined): string {
  if (!place) return '';
  if (place.host === 'github.com') return 'https://api.github.com';
  return `https://${place.host}${API_PATHS[kind]}`;
}
