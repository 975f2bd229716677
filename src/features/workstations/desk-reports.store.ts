import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import type { MeshPeer } from '../../services/mesh.js';

/** What a desk says about itself, written for that one desk. */
export function deskReportStore(db: Db | Tx, deskId: string) {
  return {
    async writeHello(hello: { hostname: string; installationId: string; now: Date }): Promise<void> {
      await sql`
        update desks set hello_at = ${hello.now}, hostname = ${hello.hostname}, installation_id = ${hello.installationId},
                         installer_step = 'hello', installer_exit_code = null, installer_message = null, misrouted = false,
                         last_contact_at = ${hello.now}, updated_at = ${hello.now}
        where desk_id = ${deskId}`.execute(db);
    },

    /** The installer ran on a machine that is another desk's: heard from, and not to be followed. */
    async writeRefusedHello(now: Date): Promise<void> {
      await sql`
        update desks set misrouted = true, installer_step = 'hello', installer_exit_code = null, installer_message = null,
                         last_contact_at = ${now}, updated_at = ${now}
        where desk_id = ${deskId}`.execute(db);
    },

    async writeStep(step: {
      step: string;
      exitCode: number | null;
      message: string | null;
      now: Date;
    }): Promise<void> {
      // Progress after a failure does not undo it; only the next hello does.
      await sql`
        update desks set
          installer_step = ${step.step},
          installer_exit_code = case when coalesce(${step.exitCode}::int, 0) <> 0 then ${step.exitCode}::int else installer_exit_code end,
          installer_message = case when coalesce(${step.exitCode}::int, 0) <> 0 then ${step.message}::text else installer_message end,
          last_contact_at = ${step.now}
        where desk_id = ${deskId}`.execute(db);
    },

    async writeMesh(mesh: { publicKey: string | null; address: string | null; now: Date }): Promise<void> {
      await sql`
        update desks set mesh_public_key = ${mesh.publicKey}, mesh_address = ${mesh.address}::inet,
                         mesh_registered_at = ${mesh.now}, last_contact_at = ${mesh.now}, updated_at = ${mesh.now}
        where desk_id = ${deskId}`.execute(db);
    },

    async writeSidecar(sidecarUrl: string, now: Date): Promise<void> {
      await sql`
        update desks set
          sidecar_registered_at = ${now}, last_contact_at = ${now}, updated_at = ${now},
          check_epoch = case when sidecar_url is distinct from ${sidecarUrl} then check_epoch + 1 else check_epoch end,
          misses = case when sidecar_url is distinct from ${sidecarUrl} and status <> 'unreachable' then 0 else misses end,
          missed_probes = case when sidecar_url is distinct from ${sidecarUrl} and status <> 'unreachable' then '[]' else missed_probes end,
          sidecar_url = ${sidecarUrl}
        where desk_id = ${deskId}`.execute(db);
    },

    async writeContact(now: Date): Promise<void> {
      await sql`update desks set last_contact_at = ${now} where desk_id = ${deskId}`.execute(db);
    },
  };
}

/** The addresses of the mesh belong to the whole fleet. */
export function meshAddressStore(db: Db | Tx) {
  return {
    async listPeers(): Promise<MeshPeer[]> {
      const { rows } = await sql<{ public_key: string; address: string }>`
        select mesh_public_key as public_key, host(mesh_address) as address from desks
        where mesh_public_key is not null and mesh_address is not null`.execute(db);
      return rows.map(({ public_key, address }) => ({ publicKey: public_key, address }));
    },

    /** The next address after the highest in use; when the end is reached, the lowest that is free. */
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

    /** Every node uses the one key of the hub. */
    async readHubKey(makeKey: () => string): Promise<string> {
      await sql`
        insert into server_secrets (name, value) values ('mesh_private_key', ${makeKey()})
        on conflict (name) do nothing`.execute(db);
      const { rows } = await sql<{ value: string }>`
        select value from server_secrets where name = 'mesh_private_key'`.execute(db);
      return rows[0]!.value;
    },
  };
}
