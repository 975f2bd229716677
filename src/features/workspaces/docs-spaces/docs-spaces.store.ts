import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { GuestAccess, Space } from '../workspaces.schemas.js';

export function docsSpaceStore(db: Db | Tx, brandId: number) {
  return {
    async insertSpace(space: Space, at: Date): Promise<void> {
      await sql`
        insert into docs_spaces (space_id, brand_id, name, created_at)
        values (${space.space_id}, ${brandId}, ${space.name}, ${at})`.execute(db);
    },

    async listSpaces(): Promise<Space[]> {
      const { rows } = await sql<Space>`
        select space_id, name from docs_spaces
        where brand_id = ${brandId} order by created_at, space_id`.execute(db);
      return rows;
    },

    async listSpacesOfGuest(userId: number): Promise<Space[]> {
      const { rows } = await sql<Space>`
        select s.space_id, s.name
        from guest_access g join docs_spaces s on s.space_id = g.resource_id and s.brand_id = g.brand_id
        where g.brand_id = ${brandId} and g.user_id = ${userId} and g.kind = 'docs'
        order by s.created_at, s.space_id`.execute(db);
      return rows;
    },

    async findSpace(spaceId: string): Promise<Space | undefined> {
      const { rows } = await sql<Space>`
        select space_id, name from docs_spaces
        where brand_id = ${brandId} and space_id = ${spaceId}`.execute(db);
      return rows[0];
    },

    async isGuestOf(spaceId: string, userId: number): Promise<boolean> {
      const { rows } = await sql<{ invited: boolean }>`
        select exists (
          select from guest_access
          where kind = 'docs' and resource_id = ${spaceId} and user_id = ${userId} and brand_id = ${brandId}
        ) as invited`.execute(db);
      return rows[0]!.invited;
    },

    async listGuestAccess(): Promise<(GuestAccess & { user_id: number })[]> {
      const { rows } = await sql<GuestAccess & { user_id: number }>`
        select g.user_id, 'docs' as kind, s.space_id as resource_id, s.name, g.role
        from guest_access g join docs_spaces s on s.space_id = g.resource_id and s.brand_id = g.brand_id
        where g.brand_id = ${brandId} and g.kind = 'docs'
        order by s.created_at, s.space_id`.execute(db);
      return rows;
    },
  };
}
