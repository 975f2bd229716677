import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { StillAllowed } from '../../identity/index.js';
import { type NetworkRemote, readRemote } from '../git/remote-url.js';
import { fingerprintOf, makeSshKey } from '../git/ssh-key.js';
import {
  noDeployKey,
  noRepository,
  projectNotFound,
  tokenMissing,
  tokenNeedsHttps,
  tokenUnwanted,
} from '../projects.errors.js';
import type { CredentialInput, CredentialView } from '../projects.schemas.js';
import { type ProjectRow, projectStore } from './projects.store.js';
import {
  type CredentialRow,
  type KeyRow,
  repositoryCredentialStore,
  type TokenRow,
} from './repository-credentials.store.js';
import type { RepositoryKeyService } from './repository-keys.service.js';

export type RepositoryCredentialService = ReturnType<typeof createRepositoryCredentialService>;

/** What a run shows to a host. `kept` is how it is known in the database. */
export type OpenCredential =
  | { kind: 'deploy_key'; kept: string; privateKey: string; formerPrivateKey: string | null }
  | { kind: 'token'; kept: string; username: string; token: string; host: string };

type OwnedProject = Pick<ProjectRow, 'brand_id' | 'project_id'>;

/** Hosts that take tokens take any name with them; this is the one that those have which do not. */
const USUAL_NAME = 'x-access-token';

/** With what each project reaches its repository: a key or a token of its own, else the key of the workspace. */
export function createRepositoryCredentialService({
  db,
  clock,
  secrets,
  keys,
  requireStillAdmin,
}: {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  keys: Pick<RepositoryKeyService, 'findDeployKey'>;
  requireStillAdmin: StillAllowed['requireStillAdmin'];
}) {
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
    const shared = await keys.findDeployKey(brandId);
    if (!shared) return NOTHING;
    const { public_key, created_at } = shared;
    return {
      ...NOTHING,
      public_key,
      fingerprint: fingerprintOf(public_key),
      created_at: created_at.toISOString(),
    };
  }

  function makeKey(projectId: string, before?: KeyRow): KeyRow {
    const { publicKey, privateKey } = makeSshKey(`guildhall-project-${projectId}`);
    return {
      kind: 'deploy_key',
      public_key: publicKey,
      private_key: secrets.seal(privateKey, placeOf(projectId)),
      // One that never came to work gives way to its successor; the one that did stays until that has.
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

  /** A change of what a project has, with its entry in the audit; answers what it has then. */
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
    remove,

    async get(caller: MemberCaller, projectId: string): Promise<CredentialView> {
      const { brandId } = caller;
      if (!(await projectStore(db, brandId).find(projectId))) throw projectNotFound();
      return show(brandId, await repositoryCredentialStore(db, brandId).find(projectId));
    },

    /** A key that is there already stays: asked for twice, it is the same one. */
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

    /** From now on there is another key; the one before it is tried until this one has worked. */
    rotate: (caller: MemberCaller, projectId: string): Promise<CredentialView> =>
      change(caller, projectId, 'rotated', async (tx) => {
        const store = repositoryCredentialStore(tx, caller.brandId);
        const before = await store.find(projectId);
        if (before?.kind !== 'deploy_key') throw noDeployKey();
        await store.save(projectId, makeKey(projectId, before), clock.now());
      }),

    /** Whether who moves the project to another address would move a token along with it. */
    async holdsToken(tx: Tx, { brand_id, project_id }: OwnedProject): Promise<boolean> {
      return (await repositoryCredentialStore(tx, brand_id).find(project_id))?.kind === 'token';
    },

    /** Undefined: the key of the workspace. */
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

const placeOf = (projectId: string) => `code_project_credentials:${projectId}`;

/** For whom a token is: host and port. */
export const hostOf = ({ host, port }: NetworkRemote): string => (port === 443 ? host : `${host}:${port}`);
