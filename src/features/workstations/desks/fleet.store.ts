import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { MeshPeer } from '../../../platform/mesh/mesh.js';
import type { CheckedFacts, EnvironmentStatus } from '../health/desk-status.js';
import type { KeptToken } from './desks.store.js';
import type { SlotRange } from './poll-schedule.js';

export interface PolledDesk extends CheckedFacts, KeptToken {
  brand_id: number;
  sidecar_url: string;
  mesh_address: string | null;
  check_epoch: number;
  poll_slot: number;
}

/** A desk whose row is locked until the transaction ends. */
export interface LockedDesk extends Omit<PolledDesk, 'sidecar_url'> {
  sidecar_url: string | null;
  checked_at: Date | null;
}

export interface StoredCheck extends CheckedFacts {
  desk_id: string;
  checked_at: Date;
}

const POLLED_COLUMNS = sql.raw(`
  desk_id, brand_id, token_hash, token_lookup, key_sealed, sidecar_url, host(mesh_address) as mesh_address, check_epoch, poll_slot, status, installer_exit_code,
  installer_message, misses, missed_probes, misrouted, first_answered_at, resumed_at, last_contact_at, installation_id, sidecar_version,
  sidecar_code_digest, last_upgrade_at, building, pending_sync_count, isolation, credentials`);

export function fleetStore(db: Db | Tx) {
  return {
    /** Desks whose slot is due. `share` is this node's part of all desks. */
    async listDue(range: SlotRange, share: { index: number; of: number }): Promise<PolledDesk[]> {
      const { rows } = await sql<PolledDesk>`
        select ${POLLED_COLUMNS} from desks
        where sidecar_url is not null and status <> 'suspended'
          and poll_slot >= ${range.from} and poll_slot < ${range.to}
          and poll_slot % ${share.of} = ${share.index}`.execute(db);
      return rows;
    },

    async listPage(after: string | null, limit: number): Promise<PolledDesk[]> {
      const { rows } = await sql<PolledDesk>`
        select ${POLLED_COLUMNS} from desks
        where sidecar_url is not null and status <> 'suspended' and (${after}::uuid is null or desk_id > ${after}::uuid)
        order by desk_id limit ${limit}`.execute(db);
      return rows;
    },

    async find(deskId: string): Promise<PolledDesk | undefined> {
      const { rows } = await sql<PolledDesk>`
        select ${POLLED_COLUMNS} from desks
        where desk_id = ${deskId} and sidecar_url is not null and status <> 'suspended'`.execute(db);
      return rows[0];
    },

    /** Locks in the order of ids, so that two nodes cannot deadlock. */
    async lock(deskIds: string[]): Promise<LockedDesk[]> {
      const { rows } = await sql<LockedDesk>`
        select ${POLLED_COLUMNS}, checked_at from desks
        where desk_id = any(${deskIds}::uuid[]) order by desk_id for no key update`.execute(db);
      return rows;
    },

    async writeChecks(checks: StoredCheck[]): Promise<void> {
      if (checks.length === 0) return;
      await sql`
        update desks d set
          status = c.status, installer_exit_code = c.installer_exit_code, installer_message = c.installer_message, misses = c.misses, missed_probes = c.missed_probes, misrouted = c.misrouted,
          first_answered_at = c.first_answered_at, resumed_at = c.resumed_at,
          last_contact_at = greatest(d.last_contact_at, c.last_contact_at), installation_id = c.installation_id,
          sidecar_version = c.sidecar_version, sidecar_code_digest = c.sidecar_code_digest,
          last_upgrade_at = c.last_upgrade_at, building = c.building, pending_sync_count = c.pending_sync_count,
          isolation = c.isolation, credentials = c.credentials, checked_at = c.checked_at
        from jsonb_populate_recordset(null::desks, ${JSON.stringify(checks)}::jsonb) as c
        where d.desk_id = c.desk_id`.execute(db);
    },

    async writeContacts(contacts: ReadonlyMap<string, Date>): Promise<void> {
      if (contacts.size === 0) return;
      await sql`
        update desks d set last_contact_at = c.at
        from unnest(${[...contacts.keys()]}::uuid[], ${[...contacts.values()]}::timestamptz[]) as c (desk_id, at)
        where d.desk_id = c.desk_id and (d.last_contact_at is null or d.last_contact_at < c.at)`.execute(db);
    },

    async isDesk(deskId: string): Promise<boolean> {
      const { rows } = await sql`select 1 from desks where desk_id = ${deskId}`.execute(db);
      return rows.length > 0;
    },

    async countPolled(): Promise<number> {
      const { rows } = await sql<{ desks: number }>`
        select count(*)::int as desks from desks where sidecar_url is not null and status <> 'suspended'`.execute(
        db,
      );
      return rows[0]!.desks;
    },

    async countByStatus(): Promise<{ status: EnvironmentStatus; desks: number }[]> {
      const { rows } = await sql<{ status: EnvironmentStatus; desks: number }>`
        select status, count(*)::int as desks from desks group by status`.execute(db);
      return rows;
    },

    /** Announces this node and returns all live nodes in the same order on every node. */
    async announceNode(nodeId: string, now: Date, goneBefore: Date): Promise<string[]> {
      await sql`
        insert into desk_poll_nodes (node_id, seen_at) values (${nodeId}, ${now})
        on conflict (node_id) do update set seen_at = excluded.seen_at`.execute(db);
      await sql`delete from desk_poll_nodes where seen_at < ${goneBefore}`.execute(db);
      const { rows } = await sql<{
        node_id: string;
      }>`select node_id from desk_poll_nodes order by node_id`.execute(db);
      return rows.map(({ node_id }) => node_id);
    },

    async forgetNode(nodeId: string): Promise<void> {
      await sql`delete from desk_poll_nodes where node_id = ${nodeId}`.execute(db);
    },
  };
}

/** Mesh addresses are shared by all workspaces. */
export function meshAddressStore(db: Db | Tx) {
  return {
    async listPeers(): Promise<MeshPeer[]> {
      const { rows } = await sql<{ mesh_public_key: string; address: string }>`
        select mesh_public_key, host(mesh_address) as address from desks
        where mesh_public_key is not null and mesh_address is not null`.execute(db);
      return rows.map(({ mesh_public_key, address }) => ({ publicKey: mesh_public_key, address }));
    },

    /** The next address after the highest in use or, at the end of the range, the lowest free one. */
    async findFreeAddress(first: string, last: string): Promise<string | undefined> {
      await sql`select pg_advisory_xact_lock(7070, 1)`.execute(db);
      const { rows } = await sql<{ address: string | null }>`
        with highest as (
          select max(mesh_address) as address from desks where mesh_address between ${first}::inet and ${last}::inet
        )
        select host(case
          when address is null then ${first}::inet
          when address < ${last}::inet then address + 1
          else (
            select min(candidate) from (
              select ${first}::inet as candidate
              union all
              select mesh_address + 1 from desks where mesh_address between ${first}::inet and ${last}::inet
            ) candidates
            where candidate <= ${last}::inet
              and not exists (select 1 from desks where mesh_address = candidate)
          )
        end) as address
        from highest`.execute(db);
      return rows[0]?.address ?? undefined;
    },
  };
}

/** Desks whose token is stored in the form of older releases. */
export async function listOldKeys(
  db: Db,
  after: string | null,
  limit: number,
): Promise<{ desk_id: string; token_hash: string }[]> {
  const { rows } = await sql<{ desk_id: string; token_hash: string }>`
    select desk_id, token_hash from desks
    where token_hash is not null and (${after}::uuid is null or desk_id > ${after}::uuid)
    order by desk_id limit ${limit}`.execute(db);
  return rows;
}

/** Does nothing when the token has been replaced since. */
export async function moveKey(
  db: Db,
  deskId: string,
  tokenHash: string,
  token: { token_lookup: string; key_sealed: string },
): Promise<void> {
  await sql`
    update desks set token_lookup = ${token.token_lookup}, key_sealed = ${token.key_sealed}, token_hash = null
    where desk_id = ${deskId} and token_hash = ${tokenHash}`.execute(db);
}
