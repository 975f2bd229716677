import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { MeshPeer } from '../../../platform/mesh/mesh.js';

/** The addresses of the mesh belong to the whole fleet. */
export function meshAddressStore(db: Db | Tx) {
  return {
    async listPeers(): Promise<MeshPeer[]> {
      const { rows } = await sql<{ mesh_public_key: string; address: string }>`
        select mesh_public_key, host(mesh_address) as address from desks
        where mesh_public_key is not null and mesh_address is not null`.execute(db);
      return rows.map(({ mesh_public_key, address }) => ({ publicKey: mesh_public_key, address }));
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
  };
}
