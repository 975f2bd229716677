import { sql } from 'kysely';
import type { GuestLevel, MemberRole } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/outbox.js';
import { personStore } from './people.store.js';

export interface Membership {
  brand_id: number;
  user_id: number;
  role: MemberRole;
  position: string | null;
  joined_at: Date;
}

/** Joining locks the person, because what an admin elsewhere may do to their account depends on it. */
export function membershipStore(db: Db | Tx, brandId: number) {
  return {
    /** Serializes role changes, so that two admins who demote each other do not both succeed. */
    async lockRoles(): Promise<void> {
      await sql`select from brands where brand_id = ${brandId} for no key update`.execute(db);
    },

    async findRole(userId: number): Promise<MemberRole | undefined> {
      const { rows } = await sql<{ role: MemberRole }>`
        select role from memberships
        where brand_id = ${brandId} and user_id = ${userId} and active`.execute(db);
      return rows[0]?.role;
    },

    /** Also true after the person has left. */
    async wasMember(userId: number): Promise<boolean> {
      const { rows } = await sql`
        select 1 from memberships where brand_id = ${brandId} and user_id = ${userId}`.execute(db);
      return rows.length === 1;
    },

    async lockMembership(userId: number): Promise<MemberRole | undefined> {
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

    /** Without a role, an active member keeps theirs and other people become members. */
    async upsert(
      userId: number,
      { role = null, position }: { role?: MemberRole | null; position?: string | null },
      now: Date,
    ): Promise<Membership> {
      await personStore(db).lock(userId);
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

    /** Never lowers the role of an active member. */
    async join(userId: number, role: MemberRole, now: Date): Promise<MemberRole> {
      await personStore(db).lock(userId);
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

    /** Returns the previous key; undefined if there is no such active member. */
    async changePhotoKey(userId: number, key: string | null): Promise<string | null | undefined> {
      const { rows } = await sql<{ photo_key: string | null }>`
        update memberships m set photo_key = ${key}
        from (select photo_key from memberships
              where brand_id = ${brandId} and user_id = ${userId} and active for update) before
        where m.brand_id = ${brandId} and m.user_id = ${userId}
        returning before.photo_key`.execute(db);
      return rows[0]?.photo_key;
    },

    async deactivate(userId: number): Promise<MemberRole | undefined> {
      const { rows } = await sql<{ role: MemberRole }>`
        update memberships set active = false
        where brand_id = ${brandId} and user_id = ${userId} and active
        returning role`.execute(db);
      return rows[0]?.role;
    },
  };
}

export interface GuestPerson {
  email: string;
  full_name: string;
  is_member: boolean;
}

export interface GuestResource {
  kind: 'board' | 'docs';
  resourceId: string;
}

export function guestAccessStore(db: Db | Tx, brandId: number) {
  return {
    /** Limited to known people and people without a workspace, so that no one can enumerate others by id. */
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

    /** True if the person is a guest. Locks their access. */
    async lockGuest(userId: number): Promise<boolean> {
      const { rows } = await sql`
        select 1 from guest_access
        where brand_id = ${brandId} and user_id = ${userId} limit 1 for share`.execute(db);
      return rows.length === 1;
    },

    /** A change of level keeps `created_at`. Also records the person as a past guest. */
    async save(
      { kind, resourceId }: GuestResource,
      userId: number,
      role: GuestLevel,
      at: Date,
    ): Promise<Date> {
      await personStore(db).lock(userId);
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

    /** Removes access to one resource, all of a kind, or everything. Returns the number. */
    async remove(userId: number, resource: Partial<GuestResource> = {}): Promise<number> {
      const { kind = null, resourceId = null } = resource;
      const { rows } = await sql`
        delete from guest_access
        where brand_id = ${brandId} and user_id = ${userId}
          and (${kind}::text is null or kind = ${kind})
          and (${resourceId}::uuid is null or resource_id = ${resourceId}::uuid)
        returning 1`.execute(db);
      return rows.length;
    },

    async revokeAllAccess({ kind, resourceId }: GuestResource): Promise<number[]> {
      const { rows } = await sql<{ user_id: number }>`
        delete from guest_access
        where brand_id = ${brandId} and kind = ${kind} and resource_id = ${resourceId}
        returning user_id`.execute(db);
      return rows.map(({ user_id }) => user_id);
    },

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

/** Notifies webhooks of every new member, regardless of how they joined. */
export const announceJoined = (
  outbox: Pick<WebhookOutbox, 'record'>,
  tx: Tx,
  brandId: number,
  userId: number,
  role: MemberRole,
  at: Date,
): Promise<void> =>
  outbox.record(tx, [{ brandId, type: 'member.joined', at, data: { user_id: userId, role } }]);
