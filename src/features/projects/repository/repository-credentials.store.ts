import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export type CredentialRow = (KeyRow | TokenRow) & Pick<StoredRow, 'created_at' | 'used_at'>;

export interface KeyRow {
  kind: 'deploy_key';
  public_key: string;
  private_key: string;
  former_public_key: string | null;
  former_private_key: string | null;
}

export interface TokenRow {
  kind: 'token';
  username: string;
  sealed_token: string;
  host: string;
}

/** A constraint ties the filled columns to the kind. */
interface StoredRow {
  kind: 'deploy_key' | 'token';
  public_key: string | null;
  private_key: string | null;
  former_public_key: string | null;
  former_private_key: string | null;
  username: string | null;
  sealed_token: string | null;
  host: string | null;
  created_at: Date;
  used_at: Date | null;
}

/** Limits how often the row is written. */
const NOTED_EVERY_SECONDS = 60;

export function repositoryCredentialStore(db: Db | Tx, brandId: number) {
  const isOwn = sql`exists (select from projects p where p.project_id = c.project_id and p.brand_id = ${brandId})`;
  return {
    async find(projectId: string): Promise<CredentialRow | undefined> {
      const { rows } = await sql<StoredRow>`
        select c.kind, c.public_key, c.private_key, c.former_public_key, c.former_private_key, c.username, c.sealed_token,
          c.host, c.created_at, c.used_at
        from code_project_credentials c where c.project_id = ${projectId} and ${isOwn}`.execute(db);
      return rows[0] as CredentialRow | undefined;
    },

    /** Replaces the credential. The caller holds the project's lock. */
    async save(projectId: string, made: KeyRow | TokenRow, now: Date): Promise<void> {
      const key = made.kind === 'deploy_key' ? made : undefined;
      const token = made.kind === 'token' ? made : undefined;
      await sql`
        insert into code_project_credentials as c (project_id, kind, public_key, private_key, former_public_key,
          former_private_key, username, sealed_token, host, created_at)
        select p.project_id, ${made.kind}, ${key?.public_key ?? null}, ${key?.private_key ?? null},
          ${key?.former_public_key ?? null}, ${key?.former_private_key ?? null}, ${token?.username ?? null},
          ${token?.sealed_token ?? null}, ${token?.host ?? null}, ${now}
        from projects p where p.project_id = ${projectId} and p.brand_id = ${brandId}
        on conflict (project_id) do update set kind = excluded.kind, public_key = excluded.public_key,
          private_key = excluded.private_key, former_public_key = excluded.former_public_key,
          former_private_key = excluded.former_private_key, username = excluded.username,
          sealed_token = excluded.sealed_token, host = excluded.host, created_at = excluded.created_at, used_at = null`.execute(
        db,
      );
    },

    async remove(projectId: string): Promise<boolean> {
      const { rows } = await sql`
        delete from code_project_credentials c
        where c.project_id = ${projectId} and ${isOwn} returning c.project_id`.execute(db);
      return rows.length > 0;
    },

    /** `secret` is the encrypted value: success with a replaced key says nothing about its successor. */
    async noteWorked(projectId: string, secret: string, now: Date): Promise<void> {
      await sql`
        update code_project_credentials c set used_at = ${now}, former_public_key = null, former_private_key = null
        where c.project_id = ${projectId} and coalesce(c.private_key, c.sealed_token) = ${secret} and ${isOwn}
          and (c.former_private_key is not null or c.used_at is null
            or c.used_at <= ${now}::timestamptz - make_interval(secs => ${NOTED_EVERY_SECONDS}))`.execute(db);
    },
  };
}

export interface DeployKeyRow {
  public_key: string;
  private_key: string;
  created_at: Date;
}

export interface HostKeyRow {
  host: string;
  host_key: string;
  pinned_at: Date;
}

export function repositoryKeyStore(db: Db | Tx, brandId: number) {
  return {
    async findDeployKey(): Promise<DeployKeyRow | undefined> {
      const { rows } = await sql<DeployKeyRow>`
        select public_key, private_key, created_at from code_deploy_keys
        where brand_id = ${brandId}`.execute(db);
      return rows[0];
    },

    async insertDeployKey(key: DeployKeyRow): Promise<boolean> {
      const { rows } = await sql`
        insert into code_deploy_keys (brand_id, public_key, private_key, created_at)
        values (${brandId}, ${key.public_key}, ${key.private_key}, ${key.created_at})
        on conflict (brand_id) do nothing returning brand_id`.execute(db);
      return rows.length > 0;
    },

    async listHostKeys(hosts: readonly string[] | null): Promise<HostKeyRow[]> {
      const { rows } = await sql<HostKeyRow>`
        select host, host_key, pinned_at from code_host_keys
        where brand_id = ${brandId} and (${hosts}::text[] is null or host = any(${hosts}::text[]))
        order by host limit 1000`.execute(db);
      return rows;
    },

    async deleteHostKey(host: string): Promise<boolean> {
      const { rows } = await sql`
        delete from code_host_keys where brand_id = ${brandId} and host = ${host} returning host`.execute(db);
      return rows.length > 0;
    },

    /** Returns the pinned key: this one, unless the host already has one. */
    async pinHostKey(host: string, hostKey: string, now: Date): Promise<string> {
      const { rows } = await sql<{ host_key: string }>`
        insert into code_host_keys as k (brand_id, host, host_key, pinned_at)
        values (${brandId}, ${host}, ${hostKey}, ${now})
        on conflict (brand_id, host) do update set host_key = k.host_key returning host_key`.execute(db);
      return rows[0]!.host_key;
    },
  };
}
