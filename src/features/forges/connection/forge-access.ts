import type { Db } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { ForgeToken, ReachedProject } from '../../projects/index.js';
import { deriveForge, webUrlOf } from '../adapter/address.js';
import type { Forge, ForgeFailed, ForgeKind, OpenForge } from '../adapter/forge.js';
import { type ForgeRow, forgeNotes, forgeStore } from './connection.store.js';

/** The host of a project, ready to be asked. */
export interface ConnectedForge {
  brandId: number;
  projectId: string;
  kind: ForgeKind;
  repository: string;
  apiUrl: string;
  defaultBranch: string;
  /** Where people see the repository. */
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

/** Hosts that take tokens take any name with them; this is the one that those have which do not. */
const USERNAME = 'x-access-token';

const placeOf = (projectId: string): string => `project_forges:${projectId}`;

/** How the rooms of this feature reach the hosts that projects are connected with. */
export function createForgeAccess({ db, secrets, open }: ForgeAccessOptions) {
  const openToken = ({ sealed_token, project_id }: ForgeRow): string =>
    secrets.open(sealed_token, placeOf(project_id));

  return {
    sealToken: (projectId: string, token: string): string => secrets.seal(token, placeOf(projectId)),

    openToken,

    /** Undefined where the project has none. */
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

    /** For the repository of the very project that is connected, and for no other of its host. */
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

    noteSuccess: (projectId: string, now: Date): Promise<void> => forgeNotes(db).noteSuccess(projectId, now),

    /** A host that asked for a pause is left alone until it is over. */
    noteFailure: (projectId: string, { message, retryAt }: ForgeFailed, _now: Date): Promise<void> =>
      forgeNotes(db).noteFailure(projectId, message, retryAt),
  };
}
