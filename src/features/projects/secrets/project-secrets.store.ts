import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { SecretRecipient } from './project-secrets.schemas.js';

export interface ProjectSecretRow {
  name: string;
  recipients: SecretRecipient[];
  created_at: Date;
  updated_at: Date;
}

export function projectSecretStore(db: Db | Tx, brandId: number) {
  return {
    async list(projectId: string): Promise<ProjectSecretRow[]> {
      const { rows } = await sql<ProjectSecretRow>`
        select name, recipients, created_at, updated_at from project_secrets
        where brand_id = ${brandId} and project_id = ${projectId} order by name`.execute(db);
      return rows;
    },

    async listSealed(
      projectId: string,
      recipients: readonly SecretRecipient[],
    ): Promise<{ name: string; sealed: string; recipients: SecretRecipient[] }[]> {
      const { rows } = await sql<{ name: string; sealed: string; recipients: SecretRecipient[] }>`
        select name, sealed, recipients from project_secrets
        where brand_id = ${brandId} and project_id = ${projectId} and recipients && ${[...recipients]}::text[]
        order by name`.execute(db);
      return rows;
    },

    async save(
      projectId: string,
      secret: { name: string; sealed: string; recipients: readonly SecretRecipient[] },
      now: Date,
    ): Promise<ProjectSecretRow> {
      const { rows } = await sql<ProjectSecretRow>`
        insert into project_secrets (project_id, name, brand_id, sealed, recipients, created_at, updated_at)
        values (${projectId}, ${secret.name}, ${brandId}, ${secret.sealed}, ${[...secret.recipients]}::text[], ${now}, ${now})
        on conflict (project_id, name) do update set sealed = excluded.sealed, recipients = excluded.recipients,
          updated_at = excluded.updated_at
        returning name, recipients, created_at, updated_at`.execute(db);
      return rows[0]!;
    },

    async remove(projectId: string, name: string): Promise<boolean> {
      const { numAffectedRows } = await sql`
        delete from project_secrets where brand_id = ${brandId} and project_id = ${projectId} and name = ${name}`.execute(
        db,
      );
      return (numAffectedRows ?? 0n) > 0n;
    },
  };
}
