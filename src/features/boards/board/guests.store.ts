import { sql } from 'kysely';
import type { GuestLevel } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { BoardGuest } from '../boards.schemas.js';

export interface GuestBoard {
  user_id: number;
  /** The board. */
  resource_id: string;
  name: string;
  role: GuestLevel;
}

export type GuestRow = Omit<BoardGuest, 'created_at'> & { created_at: Date };

export const guestStore = (db: Db | Tx, brandId: number) => ({
  async listGuestsOf(boardId: string): Promise<GuestRow[]> {
    const { rows } = await sql<GuestRow>`
      select g.resource_id as board_id, u.user_id, u.email, u.full_name, g.role, g.created_at
      from guest_access g join users u using (user_id)
      where g.kind = 'board' and g.resource_id = ${boardId} and g.brand_id = ${brandId}
      order by g.created_at, u.user_id
    `.execute(db);
    return rows;
  },

  async listGuestBoards(userIds: number[] | null): Promise<GuestBoard[]> {
    const { rows } = await sql<GuestBoard>`
      select g.user_id, b.board_id as resource_id, b.name, g.role
      from guest_access g join boards b on b.board_id = g.resource_id and b.brand_id = g.brand_id
      where g.brand_id = ${brandId} and g.kind = 'board'
        and (${userIds}::int[] is null or g.user_id = any(${userIds}::int[]))
      order by g.user_id, b.created_at, b.board_id
    `.execute(db);
    return rows;
  },
});
