import type { Updateable } from 'kysely';
import type { Db, Tables } from '../../platform/database/database.js';

/** Columns of a desk's history; JSON columns as text. */
export type DeskPast = Updateable<Tables['desks']>;

export async function rewritePast(db: Db, deskId: string, orderedAt: Date, past: DeskPast): Promise<void> {
  await db
    .updateTable('desks')
    .set({ created_at: orderedAt, updated_at: orderedAt, ...past })
    .where('desk_id', '=', deskId)
    .execute();
  await db.updateTable('desk_events').set({ at: orderedAt }).where('desk_id', '=', deskId).execute();
}
