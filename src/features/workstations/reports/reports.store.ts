import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

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
      // Progress after a failure does not undo it: the next hello does, or an answer to a check that begins after it.
      await sql`
        update desks set
          installer_step = ${step.step},
          installer_exit_code = case when coalesce(${step.exitCode}::int, 0) <> 0 then ${step.exitCode}::int else installer_exit_code end,
          installer_message = case when coalesce(${step.exitCode}::int, 0) <> 0 then ${step.message}::text else installer_message end,
          check_epoch = case when coalesce(${step.exitCode}::int, 0) <> 0 then check_epoch + 1 else check_epoch end,
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
