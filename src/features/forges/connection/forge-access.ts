import { DAY, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret } from '../../../kernel/secrets.js';
import type { Db } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { ForgeToken, ReachedProject } from '../../projects/index.js';
import { deriveForge, webUrlOf } from '../adapter/address.js';
import type { Forge, ForgeKind, OpenForge } from '../adapter/forge.js';
import { type ForgeRow, forgeStore, type PastSecret } from './connection.store.js';

export interface ConnectedForge {
  brandId: number;
  projectId: string;
  kind: ForgeKind;
  repository: string;
  apiUrl: string;
  defaultBranch: string;
  webUrl: string;
  issues: { label: string; boardId: string | null } | null;
  forge: Forge;
}

export type ForgeAccess = ReturnType<typeof createForgeAccess>;

export interface ForgeAccessOptions {
  db: Db;
  secrets: SecretBox;
  open: OpenForge;
}

/** GitHub requires this user name with a token; other hosts accept any. */
const USERNAME = 'x-access-token';

const tokenPlace = (projectId: string): string => `project_forges:${projectId}`;

export function createForgeAccess({ db, secrets, open }: ForgeAccessOptions) {
  const openToken = ({ sealed_token, project_id }: ForgeRow): string =>
    secrets.open(sealed_token, tokenPlace(project_id));

  return {
    sealToken: (projectId: string, token: string): string => secrets.seal(token, tokenPlace(projectId)),

    openToken,

    async find(brandId: number, projectId: string): Promise<ConnectedForge | undefined> {
      const row = await forgeStore(db, brandId).find(projectId);
      if (!row) return undefined;
      const { kind, repository, api_url: apiUrl, default_branch: defaultBranch, issues_label: label } = row;
      return {
        brandId,
        projectId,
        kind,
        repository,
        apiUrl,
        defaultBranch,
        webUrl: `${webUrlOf(kind, apiUrl)}/${repository}`,
        issues: label === null ? null : { label, boardId: row.issues_board_id },
        forge: open({ kind, apiUrl, repository, token: openToken(row) }),
      };
    },

    /** Returns the token only for the connected repository, not for another one on the same host. */
    async findToken({
      brand_id,
      project_id,
      repository_url,
    }: ReachedProject): Promise<ForgeToken | undefined> {
      const row = await forgeStore(db, brand_id).find(project_id);
      const derived = row && deriveForge(row.kind, repository_url);
      if (!row || !derived) return undefined;
      const { kind } = row;
      const webUrl = `${webUrlOf(kind, row.api_url)}/${row.repository}`;
      const asked = `${webUrlOf(kind, derived.apiUrl)}/${derived.repository}`;
      if (!webUrl.startsWith('https:') || asked.toLowerCase() !== webUrl.toLowerCase()) return undefined;
      const { host } = new URL(webUrl);
      const url = `${webUrl}.git`;
      return { kind: 'token', kept: row.sealed_token, username: USERNAME, token: openToken(row), host, url };
    },
  };
}

const SECRET_BYTES = 32;
const OVERLAP_SECONDS = DAY;
/** Every delivery is verified with each of them, so only the last few count. */
const MOST_PAST = 5;

type Kept = Pick<ForgeRow, 'project_id' | 'hook_secret' | 'past_hook_secrets'>;

const hookSecretPlace = (projectId: string): string => `project_forges.hook:${projectId}`;

export const newHookSecret = (): string => randomSecret(SECRET_BYTES);

export const sealHookSecret = (box: SecretBox, projectId: string, secret: string): string =>
  box.seal(secret, hookSecretPlace(projectId));

export const retireHookSecret = ({ hook_secret, past_hook_secrets }: Kept, now: Date): PastSecret[] =>
  hook_secret === null
    ? []
    : [{ sealed: hook_secret, until: secondsFrom(now, OVERLAP_SECONDS).toISOString() }, ...past_hook_secrets]
        .filter(({ until }) => new Date(until) > now)
        .slice(0, MOST_PAST);

/** Newest first. */
export function openHookSecrets(box: SecretBox, row: Kept, now: Date): string[] {
  if (row.hook_secret === null) return [];
  const past = row.past_hook_secrets.filter(({ until }) => new Date(until) > now);
  return [row.hook_secret, ...past.map(({ sealed }) => sealed)].map((sealed) =>
    box.open(sealed, hookSecretPlace(row.project_id)),
  );
}
