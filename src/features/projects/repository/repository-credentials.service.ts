import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { type AuditActor, recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { CallerChecks } from '../../identity/index.js';
import { type NetworkRemote, readRemote } from '../git/remote-url.js';
import { fingerprintOf, makeSshKey } from '../git/ssh.js';
import {
  hostKeyNotFound,
  noDeployKey,
  noRepository,
  projectNotFound,
  tokenMissing,
  tokenNeedsHttps,
  tokenUnwanted,
} from '../projects.errors.js';
import type { CredentialInput, CredentialView, DeployKeyView, HostKeyView } from '../projects.schemas.js';
import { type ProjectRow, projectStore } from './projects.store.js';
import {
  type CredentialRow,
  type DeployKeyRow,
  type KeyRow,
  repositoryCredentialStore,
  repositoryKeyStore,
  type TokenRow,
} from './repository-credentials.store.js';

export type RepositoryCredentials = ReturnType<typeof createRepositoryCredentials>;

/** `kept` is the encrypted secret, which identifies it in the database. */
export type OpenCredential =
  | { kind: 'deploy_key'; kept: string; privateKey: string; formerPrivateKey: string | null }
  | { kind: 'token'; kept: string; username: string; token: string; host: string };

type OwnedProject = Pick<ProjectRow, 'brand_id' | 'project_id'>;

const SERVICE: AuditActor = { kind: 'service' };

/** Hosts that accept tokens allow any user name; some require this one. */
const USUAL_NAME = 'x-access-token';

/** The credentials of each project: its own key or token, else the key of its workspace. Also pins host keys. */
export function createRepositoryCredentials({
  db,
  clock,
  secrets,
  requireStillAdmin,
}: {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  requireStillAdmin: CallerChecks['requireStillAdmin'];
}) {
  /** Created on first use. Of parallel requests, one key wins. */
  async function getWorkspaceKey(
    brandId: number,
    actor: AuditActor,
    permit: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<DeployKeyRow> {
    const known = await repositoryKeyStore(db, brandId).findDeployKey();
    if (known) return known;
    const { publicKey, privateKey } = makeSshKey(`guildhall-workspace-${brandId}`);
    const at = clock.now();
    const key = {
      public_key: publicKey,
      private_key: secrets.seal(privateKey, placeOfWorkspace(brandId)),
      created_at: at,
    };
    return inTransaction(db, async (tx) => {
      await permit(tx);
      const store = repositoryKeyStore(tx, brandId);
      const subject = `brand:${brandId}`;
      if (await store.insertDeployKey(key))
        await recordAudit(tx, { brandId, actor, action: 'deploy_key.created', subject, at });
      return (await store.findDeployKey())!;
    });
  }

  async function show(brandId: number, row: CredentialRow | undefined): Promise<CredentialView> {
    if (row?.kind === 'token')
      return { ...NOTHING, kind: 'token', username: row.username, host: row.host, ...timesOf(row) };
    if (row)
      return {
        ...NOTHING,
        kind: 'deploy_key',
        public_key: row.public_key,
        fingerprint: fingerprintOf(row.public_key),
        former_fingerprint: row.former_public_key === null ? null : fingerprintOf(row.former_public_key),
        ...timesOf(row),
      };
    const shared = await repositoryKeyStore(db, brandId).findDeployKey();
    return shared ? { ...NOTHING, ...showDeployKey(shared) } : NOTHING;
  }

  function makeKey(projectId: string, before?: KeyRow): KeyRow {
    const { publicKey, privateKey } = makeSshKey(`guildhall-project-${projectId}`);
    return {
      kind: 'deploy_key',
      public_key: publicKey,
      private_key: secrets.seal(privateKey, placeOf(projectId)),
      // An unused key is replaced; a working one stays valid until its successor has worked.
      former_public_key: before ? (before.former_public_key ?? before.public_key) : null,
      former_private_key: before ? (before.former_private_key ?? before.private_key) : null,
    };
  }

  function makeToken({ project_id, repository_url }: ProjectRow, input: CredentialInput): TokenRow {
    if (input.token === undefined) throw tokenMissing();
    if (repository_url === null) throw noRepository();
    const remote = readRemote(repository_url);
    if (remote?.kind !== 'https') throw tokenNeedsHttps();
    return {
      kind: 'token',
      username: input.username ?? USUAL_NAME,
      sealed_token: secrets.seal(input.token, placeOf(project_id)),
      host: hostOf(remote),
    };
  }

  async function change(
    caller: MemberCaller,
    projectId: string,
    action: 'changed' | 'rotated' | 'removed',
    work: (tx: Tx, project: ProjectRow) => Promise<void>,
  ): Promise<CredentialView> {
    const { brandId } = caller;
    const row = await inTransaction(db, async (tx) => {
      await requireStillAdmin(tx, caller);
      const project = await projectStore(tx, brandId).lock(projectId);
      if (!project) throw projectNotFound();
      await work(tx, project);
      const now = await repositoryCredentialStore(tx, brandId).find(projectId);
      await recordAudit(tx, {
        brandId,
        actor: caller,
        action: `project_credentials.${action}`,
        subject: `project:${projectId}`,
        details: { kind: now?.kind ?? 'workspace', ...(now?.kind === 'token' && { host: now.host }) },
        at: clock.now(),
      });
      return now;
    });
    return show(brandId, row);
  }

  const remove = (caller: MemberCaller, projectId: string): Promise<CredentialView> =>
    change(caller, projectId, 'removed', async (tx) => {
      await repositoryCredentialStore(tx, caller.brandId).remove(projectId);
    });

  return {
    async getDeployKey(caller: MemberCaller): Promise<DeployKeyView> {
      const permit = (tx: Tx) => requireStillAdmin(tx, caller);
      return showDeployKey(await getWorkspaceKey(caller.brandId, caller, permit));
    },

    async openDeployKey(brandId: number): Promise<string> {
      const { private_key } = await getWorkspaceKey(brandId, SERVICE);
      return secrets.open(private_key, placeOfWorkspace(brandId));
    },

    async listHostKeys(caller: MemberCaller): Promise<{ host_keys: HostKeyView[]; total: number }> {
      const rows = await repositoryKeyStore(db, caller.brandId).listHostKeys(null);
      const host_keys = rows.map(({ host, host_key, pinned_at }) => ({
        host,
        host_key: showHostKey(host_key),
        pinned_at: pinned_at.toISOString(),
      }));
      return { host_keys, total: host_keys.length };
    },

    /** The next key the host presents is pinned. */
    async forgetHostKey(caller: MemberCaller, host: string): Promise<void> {
      await inTransaction(db, async (tx) => {
        await requireStillAdmin(tx, caller);
        if (!(await repositoryKeyStore(tx, caller.brandId).deleteHostKey(host))) throw hostKeyNotFound();
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'host_key.forgotten',
          subject: `host:${host}`,
          at: clock.now(),
        });
      });
    },

    async findHostKeys(brandId: number, hosts: readonly string[]): Promise<Map<string, string>> {
      if (hosts.length === 0) return new Map();
      const rows = await repositoryKeyStore(db, brandId).listHostKeys(hosts);
      return new Map(rows.map(({ host, host_key }) => [host, host_key]));
    },

    /** Checks the key of a host; the first one it presents is pinned. */
    async pinHostKey(brandId: number, host: string, met: string): Promise<boolean> {
      return (await repositoryKeyStore(db, brandId).pinHostKey(host, met, clock.now())) === met;
    },

    remove,

    async get(caller: MemberCaller, projectId: string): Promise<CredentialView> {
      const { brandId } = caller;
      if (!(await projectStore(db, brandId).find(projectId))) throw projectNotFound();
      return show(brandId, await repositoryCredentialStore(db, brandId).find(projectId));
    },

    /** Keeps an existing key, so that a repeated request changes nothing. */
    async set(caller: MemberCaller, projectId: string, input: CredentialInput): Promise<CredentialView> {
      const { kind } = input;
      if (kind !== 'token' && (input.token !== undefined || input.username !== undefined))
        throw tokenUnwanted();
      if (kind === 'workspace') return remove(caller, projectId);
      return change(caller, projectId, 'changed', async (tx, project) => {
        const store = repositoryCredentialStore(tx, caller.brandId);
        if (kind === 'token') return store.save(projectId, makeToken(project, input), clock.now());
        if ((await store.find(projectId))?.kind === 'deploy_key') return;
        await store.save(projectId, makeKey(projectId), clock.now());
      });
    },

    /** The old key stays in use until the new one has worked. */
    rotate: (caller: MemberCaller, projectId: string): Promise<CredentialView> =>
      change(caller, projectId, 'rotated', async (tx) => {
        const store = repositoryCredentialStore(tx, caller.brandId);
        const before = await store.find(projectId);
        if (before?.kind !== 'deploy_key') throw noDeployKey();
        await store.save(projectId, makeKey(projectId, before), clock.now());
      }),

    async holdsToken(tx: Tx, { brand_id, project_id }: OwnedProject): Promise<boolean> {
      return (await repositoryCredentialStore(tx, brand_id).find(project_id))?.kind === 'token';
    },

    async open({ brand_id, project_id }: OwnedProject): Promise<OpenCredential | undefined> {
      const row = await repositoryCredentialStore(db, brand_id).find(project_id);
      if (!row) return undefined;
      const unseal = (sealed: string) => secrets.open(sealed, placeOf(project_id));
      if (row.kind === 'token') {
        const { sealed_token: kept, username, host } = row;
        return { kind: 'token', kept, username, token: unseal(kept), host };
      }
      const { private_key: kept, former_private_key: former } = row;
      return {
        kind: 'deploy_key',
        kept,
        privateKey: unseal(kept),
        formerPrivateKey: former && unseal(former),
      };
    },

    noteWorked: ({ brand_id, project_id }: OwnedProject, { kept }: OpenCredential): Promise<void> =>
      repositoryCredentialStore(db, brand_id).noteWorked(project_id, kept, clock.now()),
  };
}

const NOTHING: CredentialView = {
  kind: 'workspace',
  public_key: null,
  fingerprint: null,
  former_fingerprint: null,
  username: null,
  host: null,
  created_at: null,
  used_at: null,
};

const timesOf = ({ created_at, used_at }: CredentialRow) => ({
  created_at: created_at.toISOString(),
  used_at: used_at?.toISOString() ?? null,
});

const showDeployKey = ({ public_key, created_at }: DeployKeyRow): DeployKeyView => ({
  public_key,
  fingerprint: fingerprintOf(public_key),
  created_at: created_at.toISOString(),
});

const placeOf = (projectId: string) => `code_project_credentials:${projectId}`;
const placeOfWorkspace = (brandId: number) => `code_deploy_keys:${brandId}`;

export const showHostKey = (hostKey: string): string => `${hostKey} ${fingerprintOf(hostKey)}`;

/** The host a token belongs to, with its port unless 443. */
export const hostOf = ({ host, port }: NetworkRemote): string => (port === 443 ? host : `${host}:${port}`);
