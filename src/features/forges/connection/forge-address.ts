import { deriveForge, isRepositoryName } from '../adapter/address.js';
import type { ForgeKind } from '../adapter/forge.js';
import { isLoopback } from '../adapter/forge-call.js';
import {
  apiUrlMalformed,
  apiUrlNotEncrypted,
  apiUrlWithMore,
  notFollowing,
  repositoryMalformed,
} from '../forges.errors.js';

export interface WrittenAddress {
  kind: ForgeKind;
  api_url?: string;
  repository?: string;
}

/** The host's address and repository name: as given, else derived from the repository address. */
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

/** Strict: input that the URL standard would silently repair is refused. */
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
