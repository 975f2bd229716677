import { deriveForge, isRepositoryName } from '../adapter/address.js';
import type { ForgeKind } from '../adapter/forge.js';
import { isLoopback } from '../adapter/forge-call.js';
import {
  apiUrlMalformed,
  apiUrlNotEncrypted,
  apiUrlWithMore,
  notFollowing,
  repositoryMalformed,
} from './connection.errors.js';

export interface WrittenAddress {
  kind: ForgeKind;
  api_url?: string;
  repository?: string;
}

/** Where a host is and what it calls the repository: as written, else as the address of the repository has it. */
export function readForgeAddress(
  { kind, api_url, repository }: WrittenAddress,
  repositoryUrl: string | null,
): { apiUrl: string; repository: string } {
  const given = {
    apiUrl: api_url === undefined ? undefined : readApiUrl(api_url),
    repository: repository === undefined ? undefined : readRepository(kind, repository),
  };
  const following = repositoryUrl === null ? undefined : deriveForge(kind, repositoryUrl);
  const apiUrl = given.apiUrl ?? following?.apiUrl;
  const name = given.repository ?? following?.repository;
  if (apiUrl !== undefined && name !== undefined) return { apiUrl, repository: name };
  throw notFollowing([
    ...(apiUrl === undefined ? ['api_url'] : []),
    ...(name === undefined ? ['repository'] : []),
  ]);
}

/** As it stands: what the URL standard would quietly mend is refused. */
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
