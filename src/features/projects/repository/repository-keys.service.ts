import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { type AuditActor, recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { StillAllowed } from '../../identity/index.js';
import { fingerprintOf, makeSshKey } from '../git/ssh-key.js';
import { hostKeyNotFound } from '../projects.errors.js';
import type { DeployKeyView, HostKeyView } from '../projects.schemas.js';
import { type DeployKeyRow, repositoryKeyStore } from './repository-keys.store.js';

export type RepositoryKeyService = ReturnType<typeof createRepositoryKeyService>;

const SERVICE: AuditActor = { kind: 'service' };

/** The ssh key of each workspace, and the host keys it has met. */
export function createRepositoryKeyService({
  db,
  clock,
  secrets,
  requireStillAdmin,
}: {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  requireStillAdmin: StillAllowed['requireStillAdmin'];
}) {
  /** Made on first use. Of several that come first at once, one key stays. */
  async function getKey(
    brandId: number,
    actor: AuditActor,
    permit: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<DeployKeyRow> {
    const known = await repositoryKeyStore(db, brandId).findDeployKey();
    if (known) return known;
    const made = makeSshKey(`guildhall-workspace-${brandId}`);
    const at = clock.now();
    return inTransaction(db, async (tx) => {
      await permit(tx);
      const store = repositoryKeyStore(tx, brandId);
      const key = {
        public_key: made.publicKey,
        private_key: secrets.seal(made.privateKey, placeOf(brandId)),
        created_at: at,
      };
      if (await store.insertDeployKey(key))
        await recordAudit(tx, {
          brandId,
          actor,
          action: 'deploy_key.created',
          subject: `brand:${brandId}`,
          at,
        });
      return (await store.findDeployKey())!;
    });
  }

  return {
    async getDeployKey(caller: MemberCaller): Promise<DeployKeyView> {
      const { public_key, created_at } = await getKey(caller.brandId, caller, (tx) =>
        requireStillAdmin(tx, caller),
      );
      return {
        public_key,
        fingerprint: fingerprintOf(public_key),
        created_at: created_at.toISOString(),
      };
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

    /** The host may show another key from now on: the next one that is met is pinned. */
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

    /** Undefined as long as nobody needed it. */
    findDeployKey: (brandId: number): Promise<DeployKeyRow | undefined> =>
      repositoryKeyStore(db, brandId).findDeployKey(),

    /** As ssh reads it from a file. */
    async openDeployKey(brandId: number): Promise<string> {
      const { private_key } = await getKey(brandId, SERVICE);
      return secrets.open(private_key, placeOf(brandId));
    },

    /** The keys of those hosts that were met before, by host. */
    async findHostKeys(brandId: number, hosts: readonly string[]): Promise<Map<string, string>> {
      if (hosts.length === 0) return new Map();
      const rows = await repositoryKeyStore(db, brandId).listHostKeys(hosts);
      return new Map(rows.map(({ host, host_key }) => [host, host_key]));
    },

    /** Whether this is the host's key: the first one that is met is kept for good. */
    async pinHostKey(brandId: number, host: string, met: string): Promise<boolean> {
      return (await repositoryKeyStore(db, brandId).pinHostKey(host, met, clock.now())) === met;
    },
  };
}

const placeOf = (brandId: number) => `code_deploy_keys:${brandId}`;

/** A host key as people compare it: the key, and after it the fingerprint that ssh shows. */
export const showHostKey = (hostKey: string): string => `${hostKey} ${fingerprintOf(hostKey)}`;
