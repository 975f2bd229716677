import { sql } from 'kysely';
import type { MemberRole } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { personStore } from '../people/people.store.js';

export interface Membership {
  brand_id: number;
  user_id: number;
  role: MemberRole;
  position: string | null;
  joined_at: Date;
}

/** The memberships of one workspace. Who joins is held: what an admin elsewhere may do to their account depends on where they belong. */
export function membershipStore(db: Db | Tx, brandId: number) {
  return {
    /** Roles change one at a time in a workspace: two admins who demote each other must not both succeed. */
    async lockRoles(): Promise<void> {
      await sql`select from brands where brand_id = ${brandId} for no key update`.execute(db);
    },

    /** Undefined when the person is no active member. */
    async findRole(userId: number): Promise<MemberRole | undefined> {
      const { rows } = await sql<{ role: MemberRole }>`
        select role from memberships
        where brand_id = ${brandId} and user_id = ${userId} and active`.execute(db);
      return rows[0]?.role;
    },

    /** Whether the person ever joined, also when they have left. */
    async wasMember(userId: number): Promise<boolean> {
      const { rows } = await sql`
        select 1 from memberships where brand_id = ${brandId} and user_id = ${userId}`.execute(db);
      return rows.length === 1;
    },

    /** The role of a member, who then keeps it and cannot leave before the transaction ends; undefined when the person is none. */
    async holdRole(userId: number): Promise<MemberRole | undefined> {
      const { rows } = await sql<{ role: MemberRole }>`
        select role from memberships
        where brand_id = ${brandId} and user_id = ${userId} and active for share`.execute(db);
      return rows[0]?.role;
    },

    async hasOtherAdmin(userId: number): Promise<boolean> {
      const { rows } = await sql<{ other: boolean }>`
        select exists (
          select from memberships
          where brand_id = ${brandId} and user_id <> ${userId} and active and role = 'admin') as other`.execute(
        db,
      );
      return rows[0]!.other;
    },

    /** An absent role keeps the one of an active member; whoever comes back comes as a member. */
    async upsert(
      userId: number,
      { role = null, position }: { role?: MemberRole | null; position?: string | null },
      now: Date,
    ): Promise<Membership> {
      await personStore(db).hold(userId);
      const { rows } = await sql<Membership>`
        insert into memberships (brand_id, user_id, role, position, active, joined_at)
        values (${brandId}, ${userId}, coalesce(${role}, 'member'), ${position ?? null}, true, ${now})
        on conflict (brand_id, user_id) do update set
          role = coalesce(${role}, case when memberships.active then memberships.role else 'member' end),
          position = case when ${position !== undefined} then excluded.position else memberships.position end,
          joined_at = case when memberships.active then memberships.joined_at else excluded.joined_at end,
          active = true
        returning brand_id, user_id, role, position, joined_at`.execute(db);
      return rows[0]!;
    },

    /** Somebody who is a member already keeps the role they have, or gains one; nobody loses any by it. */
    async join(userId: number, role: MemberRole, now: Date): Promise<MemberRole> {
      await personStore(db).hold(userId);
      const { rows } = await sql<{ role: MemberRole }>`
        insert into memberships (brand_id, user_id, role, active, joined_at)
        values (${brandId}, ${userId}, ${role}, true, ${now})
        on conflict (brand_id, user_id) do update set
          role = case when memberships.active and memberships.role = 'admin' then 'admin' else excluded.role end,
          joined_at = case when memberships.active then memberships.joined_at else excluded.joined_at end,
          active = true
        returning role`.execute(db);
      return rows[0]!.role;
    },

    async changeRole(userId: number, role: MemberRole): Promise<void> {
      await sql`
        update memberships set role = ${role}
        where brand_id = ${brandId} and user_id = ${userId}`.execute(db);
    },

    async changePosition(userId: number, position: string | null): Promise<void> {
      await sql`
        update memberships set position = ${position}
        where brand_id = ${brandId} and user_id = ${userId}`.execute(db);
    },

    /** Answers the key that was there before; undefined when there is no such member any more. */
    async changePhotoKey(userId: number, key: string | null): Promise<string | null | undefined> {
      const { rows } = await sql<{ photo_key: string | null }>`
        update memberships m set photo_key = ${key}
        from (select photo_key from memberships
              where brand_id = ${brandId} and user_id = ${userId} and active for update) before
        where m.brand_id = ${brandId} and m.user_id = ${userId}
        returning before.photo_key`.execute(db);
      return rows[0]?.photo_key;
    },

    /** Answers the role that ended; undefined when the person was no member. */
    async deactivate(userId: number): Promise<MemberRole | undefined> {
      const { rows } = await sql<{ role: MemberRole }>`
        update memberships set active = false
        where brand_id = ${brandId} and user_id = ${userId} and active
        returning role`.execute(db);
      return rows[0]?.role;
    },
  };
}
