import { sql } from 'kysely';
import type { DeskLogin, Runtime } from '../../../kernel/runtimes.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { dormantBefore, type EnvironmentStatus } from '../health/desk-status.js';
import type { KeptToken } from './desk-keys.js';

/** What is to be known of a desk by whoever gives it work. */
export interface BuilderDesk extends KeptToken {
  name: string;
  runtime: Runtime;
  only_project_id: string | null;
  status: EnvironmentStatus;
  credentials: DeskLogin[];
  dormant: boolean;
}

/** Desks of one workspace, as places where something can be built. */
export function builderDeskStore(db: Db | Tx, brandId: number) {
  const columns = (
    now: Date,
  ) => sql`desk_id, name, runtime, only_project_id, status, credentials, token_hash, token_lookup, key_sealed,
    status <> 'suspended' and coalesce(last_contact_at, created_at) < ${dormantBefore(now)} as dormant`;
  /** A desk that waits for work when its workspace is to be erased gets none. */
  const isOpen = sql`exists (select from brands b where b.brand_id = ${brandId} and b.erasing_at is null)`;
  return {
    async find(deskId: string, now: Date): Promise<BuilderDesk | undefined> {
      const { rows } = await sql<BuilderDesk>`
        select ${columns(now)} from desks where brand_id = ${brandId} and desk_id = ${deskId} and ${isOpen}`.execute(
        db,
      );
      return rows[0];
    },

    async list(now: Date): Promise<BuilderDesk[]> {
      const { rows } = await sql<BuilderDesk>`
        select ${columns(now)} from desks where brand_id = ${brandId} and ${isOpen}`.execute(db);
      return rows;
    },
  };
}
