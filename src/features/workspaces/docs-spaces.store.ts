import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import type { GuestLevel, Space, SpaceGuest } from './docs-spaces.schemas.js';
import type { GuestAccess } from './guests.schemas.js';

interface Person {
  email: string;
  full_name: string;
  is_member: boolean;
}

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

    async findPerson(userId: number): Promise<Person | undefined> {
      const { rows } = await sql<Person>`
        select u.email, u.full_name, exists (
          select from memberships m where m.brand_id = ${brandId} and m.user_id = u.user_id and m.active) as is_member
        from users u where u.user_id = ${userId}`.execute(db);
      return rows[0];
    },

    /** Keeps the day of the first invitation when only the level changes. */
    async putGuest(
      spaceId: string,
      userId: number,
      role: GuestLevel,
      at: Date,
    ): Promise<Pick<SpaceGuest, 'created_at'>> {
      const { rows } = await sql<{ created_at: Date }>`
        insert into guest_access (brand_id, user_id, kind, resource_id, role, created_at)
        values (${brandId}, ${userId}, 'docs', ${spaceId}, ${role}, ${at})
        on conflict (kind, resource_id, user_id) do update set role = excluded.role
        returning created_at`.execute(db);
      return { created_at: rows[0]!.created_at.toISOString() };
    },

    async listGuestAccess(): Promise<(GuestAccess & { user_id: number })[]> {
      const { rows } = await sql<GuestAccess & { user_id: number }>`
        select g.user_id, 'docs' as kind, s.space_id as resource_id, s.name, g.role
        from guest_access g join docs_spaces s on s.space_id = g.resource_id and s.brand_id = g.brand_id
        where g.brand_id = ${brandId} and g.kind = 'docs'
        order by s.created_at, s.space_id`.execute(db);
      return rows;
    },

    async removeGuest(userId: number): Promise<number> {
      const { rows } = await sql`
        delete from guest_access
        where brand_id = ${brandId} and user_id = ${userId} and kind = 'docs' returning 1`.execute(db);
      return rows.length;
    },
  };
}
