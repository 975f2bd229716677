import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface DeployKeyRow {
  public_key: string;
  /** Sealed. */
  private_key: string;
  created_at: Date;
}

export interface HostKeyRow {
  host: string;
  host_key: string;
  pinned_at: Date;
}

/** The keys of one workspace: its own, and those of the hosts it knows. */
export function repositoryKeyStore(db: Db | Tx, brandId: number) {
  return {
    async findDeployKey(): Promise<DeployKeyRow | undefined> {
      const { rows } = await sql<DeployKeyRow>`
        select public_key, private_key, created_at from code_deploy_keys where brand_id = ${brandId}`.execute(
        db,
      );
      return rows[0];
    },

    /** False when there is one already. */
    async insertDeployKey(key: DeployKeyRow): Promise<boolean> {
      const { rows } = await sql`
        insert into code_deploy_keys (brand_id, public_key, private_key, created_at)
        values (${brandId}, ${key.public_key}, ${key.private_key}, ${key.created_at})
        on conflict (brand_id) do nothing returning brand_id`.execute(db);
      return rows.length > 0;
    },

    /** All of them, or those of the named hosts. */
    async listHostKeys(hosts: readonly string[] | null): Promise<HostKeyRow[]> {
      const { rows } = await sql<HostKeyRow>`
        select host, host_key, pinned_at from code_host_keys
        where brand_id = ${brandId} and (${hosts}::text[] is null or host = any(${hosts}::text[]))
        order by host limit 1000`.execute(db);
      return rows;
    },

    /** False when there is none. */
    async deleteHostKey(host: string): Promise<boolean> {
      const { rows } = await sql`
        delete from code_host_keys where brand_id = ${brandId} and host = ${host} returning host`.execute(db);
      return rows.length > 0;
    },

    /** The key that is known for the host from now on: this one, unless there was one before. */
    async pinHostKey(host: string, hostKey: string, now: Date): Promise<string> {
      const { rows } = await sql<{ host_key: string }>`
        insert into code_host_keys as k (brand_id, host, host_key, pinned_at)
        values (${brandId}, ${host}, ${hostKey}, ${now})
        on conflict (brand_id, host) do update set host_key = k.host_key returning host_key`.execute(db);
      return rows[0]!.host_key;
    },
  };
}
