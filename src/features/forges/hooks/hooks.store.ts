import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { HookNews } from '../adapter/hook-readers.js';
import type { ForgeRow } from '../connection/connection.store.js';

export type HookedForge = Pick<
  ForgeRow,
  'project_id' | 'brand_id' | 'kind' | 'hook_secret' | 'past_hook_secrets' | 'issues_label'
>;

/** Across workspaces, since a webhook only proves who it is with its signature. */
export async function findHookedForge(db: Db, projectId: string): Promise<HookedForge | undefined> {
  const { rows } = await sql<HookedForge>`
    select f.project_id, f.brand_id, f.kind, f.hook_secret, f.past_hook_secrets, f.issues_label
    from project_forges f where f.project_id = ${projectId}::uuid`.execute(db);
  return rows[0];
}

/** Webhook deliveries of one workspace. */
export const deliveryStore = (db: Db | Tx, brandId: number) => ({
  /** False when the host was disconnected meanwhile. `asksAll`: the whole project is due. */
  async noteDelivery(projectId: string, now: Date, asksAll: boolean): Promise<boolean> {
    const { rows } = await sql`
      update project_forges set hook_last_at = greatest(hook_last_at, ${now}::timestamptz),
        look_at = case when ${asksAll} then least(look_at, ${now}::timestamptz) else look_at end
      where project_id = ${projectId} and brand_id = ${brandId} returning project_id`.execute(db);
    return rows.length > 0;
  },

  /** False for a repeated delivery. */
  async add(projectId: string, deliveryId: string, about: HookNews | null, now: Date): Promise<boolean> {
    const { rows } = await sql`
      insert into forge_deliveries (project_id, delivery_id, brand_id, received_at, about)
      values (${projectId}, ${deliveryId}, ${brandId}, ${now}, ${about && JSON.stringify(about)}::jsonb)
      on conflict (project_id, delivery_id) do nothing returning delivery_id`.execute(db);
    return rows.length > 0;
  },
});
