import { sql } from 'kysely';
import type { GuestLevel } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { personStore } from '../people/people.store.js';

export interface GuestPerson {
  email: string;
  full_name: string;
  is_member: boolean;
}

/** Something of a workspace that can be opened to people outside it. */
export interface GuestPlace {
  kind: 'board' | 'docs';
  resourceId: string;
}

/** What people outside the workspace may open in it. Who is let in is held, as somebody who joins is. */
export function guestAccessStore(db: Db | Tx, brandId: number) {
  return {
    /** Knows people who are or were here, and people who belong nowhere: nobody else can be found out about by their id. */
    async findAdmissible(userId: number): Promise<GuestPerson | undefined> {
      const { rows } = await sql<GuestPerson>`
        select u.email, u.full_name, exists (
          select from memberships m where m.brand_id = ${brandId} and m.user_id = u.user_id and m.active) as is_member
        from users u
        where u.user_id = ${userId} and u.erased_at is null and (
          exists (select from memberships m where m.brand_id = ${brandId} and m.user_id = u.user_id)
          or exists (select from guest_access g where g.brand_id = ${brandId} and g.user_id = u.user_id)
          or exists (select from past_guests p where p.brand_id = ${brandId} and p.user_id = u.user_id)
          or not (exists (select from memberships m where m.user_id = u.user_id and m.active)
                  or exists (select from guest_access g where g.user_id = u.user_id)))`.execute(db);
      return rows[0];
    },

    /** Whether the person is a guest, who then cannot be shown out before the transaction ends. */
    async holdGuest(userId: number): Promise<boolean> {
      const { rows } = await sql`
        select 1 from guest_access
        where brand_id = ${brandId} and user_id = ${userId} limit 1 for share`.execute(db);
      return rows.length === 1;
    },

    /** Keeps the day of the first invitation when only the level changes, and remembers the guest for good. */
    async save({ kind, resourceId }: GuestPlace, userId: number, role: GuestLevel, at: Date): Promise<Date> {
      await personStore(db).hold(userId);
      const { rows } = await sql<{ created_at: Date }>`
        with remembered as (
          insert into past_guests (brand_id, user_id) values (${brandId}, ${userId}) on conflict do nothing
        )
        insert into guest_access (brand_id, user_id, kind, resource_id, role, created_at)
        values (${brandId}, ${userId}, ${kind}, ${resourceId}, ${role}, ${at})
        on conflict (kind, resource_id, user_id) do update set role = excluded.role
        returning created_at`.execute(db);
      return rows[0]!.created_at;
    },

    /** How many were taken away: one place, all of a kind, or everything. */
    async remove(userId: number, place: Partial<GuestPlace> = {}): Promise<number> {
      const { kind = null, resourceId = null } = place;
      const { rows } = await sql`
        delete from guest_access
        where brand_id = ${brandId} and user_id = ${userId}
          and (${kind}::text is null or kind = ${kind})
          and (${resourceId}::uuid is null or resource_id = ${resourceId}::uuid)
        returning 1`.execute(db);
      return rows.length;
    },

    /** Everybody who could open the place. */
    async closePlace({ kind, resourceId }: GuestPlace): Promise<number[]> {
      const { rows } = await sql<{ user_id: number }>`
        delete from guest_access
        where brand_id = ${brandId} and kind = ${kind} and resource_id = ${resourceId}
        returning user_id`.execute(db);
      return rows.map(({ user_id }) => user_id);
    },

    /** Those of the people who can open nothing here any more, neither as guests nor as members. */
    async listOutsiders(userIds: number[]): Promise<number[]> {
      const { rows } = await sql<{ user_id: number }>`
        select p.user_id from unnest(${userIds}::integer[]) as p (user_id)
        where not exists (select from guest_access g where g.brand_id = ${brandId} and g.user_id = p.user_id)
          and not exists (
            select from memberships m where m.brand_id = ${brandId} and m.user_id = p.user_id and m.active)`.execute(
        db,
      );
      return rows.map(({ user_id }) => user_id);
    },
  };
}
