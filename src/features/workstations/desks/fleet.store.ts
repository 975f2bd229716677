import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { EnvironmentStatus } from '../health/desk-status.js';
import type { CheckedFacts, Probe } from '../health/health-verdict.js';
import type { KeptToken } from './desk-keys.js';
import { pruneEvents } from './desks.store.js';
import type { SlotRange } from './poll-schedule.js';

/** A desk as the poller sees it. */
export interface PolledDesk extends CheckedFacts, KeptToken {
  brand_id: number;
  sidecar_url: string;
  mesh_address: string | null;
  check_epoch: number;
  poll_slot: number;
}

/** A desk whose record nobody else changes until the transaction ends. */
export interface LockedDesk extends Omit<PolledDesk, 'sidecar_url'> {
  /** Withdrawn since, when it is null. */
  sidecar_url: string | null;
  checked_at: Date | null;
}

export interface StoredCheck extends CheckedFacts {
  desk_id: string;
  checked_at: Date;
}

export interface FleetEvent {
  desk_id: string;
  at: Date;
  kind: string;
  from_status: EnvironmentStatus | null;
  to_status: EnvironmentStatus | null;
  reason: string | null;
  probes: Probe[];
}

const POLLED_COLUMNS = sql.raw(`
  desk_id, brand_id, token_hash, token_lookup, key_sealed, sidecar_url, host(mesh_address) as mesh_address, check_epoch, poll_slot, status, installer_exit_code,
  installer_message, misses, missed_probes, misrouted, first_answered_at, resumed_at, last_contact_at, installation_id, sidecar_version,
  sidecar_code_digest, last_upgrade_at, building, pending_sync_count, isolation, credentials`);

/** The desks of every workspace, for the work that happens without being asked. */
export function fleetStore(db: Db | Tx) {
  return {
    /** Desks whose slot came up; `share` is the part of the fleet that this node looks after. */
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

    /** In the order of their ids, so that two nodes never wait for each other. */
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
        from jsonb_to_recordset(${JSON.stringify(checks)}::jsonb) as c (
          desk_id uuid, status text, installer_exit_code integer, installer_message text, misses smallint, missed_probes jsonb, misrouted boolean, first_answered_at timestamptz,
          resumed_at timestamptz, last_contact_at timestamptz, installation_id text, sidecar_version text,
          sidecar_code_digest text, last_upgrade_at timestamptz, building boolean, pending_sync_count integer,
          isolation text, credentials jsonb, checked_at timestamptz)
        where d.desk_id = c.desk_id`.execute(db);
    },

    async addEvents(events: FleetEvent[]): Promise<void> {
      if (events.length === 0) return;
      await sql`
        insert into desk_events (desk_id, at, kind, from_status, to_status, reason, probes)
        select desk_id, at, kind, from_status, to_status, reason, probes
        from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e (
          desk_id uuid, at timestamptz, kind text, from_status text, to_status text, reason text, probes jsonb)`.execute(
        db,
      );
      await pruneEvents(db, [...new Set(events.map(({ desk_id }) => desk_id))]);
    },

    /** One statement for a whole batch; a time never goes back. */
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

    /** Says that this node is there, and answers all that are, in an order every node agrees on. */
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
