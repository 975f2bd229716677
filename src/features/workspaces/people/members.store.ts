import { type RawBuilder, sql } from 'kysely';
import type { MemberRole } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { personMayHaveWords } from '../../../platform/database/schema/sql-fragments.js';
import type { Member } from '../workspaces.schemas.js';

interface MemberRow {
  user_id: number;
  email: string;
  full_name: string;
  role: MemberRole;
  position: string | null;
  photo_key: string | null;
  joined_at: Date;
}

export type MemberName = Pick<MemberRow, 'user_id' | 'email' | 'full_name' | 'role'>;

export interface Account {
  email: string;
  full_name: string;
  kind: 'person' | 'staff' | 'service';
  has_password: boolean;
  elsewhere: boolean;
}

export function memberStore(db: Db | Tx, brandId: number) {
  const present = ({ photo_key, joined_at, ...row }: MemberRow): Member => ({
    ...row,
    photo: photo_key === null ? null : photoUrl(brandId, row.user_id),
    joined_at: joined_at.toISOString(),
  });

  return {
    async listMembers(): Promise<Member[]> {
      const { rows } = await sql<MemberRow>`
        select u.user_id, u.email, u.full_name, m.role, m.position, m.photo_key, m.joined_at
        from memberships m join users u on u.user_id = m.user_id
        where m.brand_id = ${brandId} and m.active
        order by m.joined_at, m.user_id`.execute(db);
      return rows.map(present);
    },

    /** Prefilters members whose name or address may contain the words. */
    async listNames(words: readonly string[]): Promise<MemberName[]> {
      const { rows } = await sql<MemberName>`
        select u.user_id, u.email, u.full_name, m.role
        from memberships m join users u on u.user_id = m.user_id
        where m.brand_id = ${brandId} and m.active and ${personMayHaveWords(words)}
        order by m.joined_at, m.user_id`.execute(db);
      return rows;
    },

    async findMember(userId: number): Promise<Member | undefined> {
      const { rows } = await sql<MemberRow>`
        select u.user_id, u.email, u.full_name, m.role, m.position, m.photo_key, m.joined_at
        from memberships m join users u on u.user_id = m.user_id
        where m.brand_id = ${brandId} and m.user_id = ${userId} and m.active`.execute(db);
      return rows[0] && present(rows[0]);
    },

    /** Null if the member has no photo, undefined if there is no such active member. */
    async findPhotoKey(userId: number): Promise<string | null | undefined> {
      const { rows } = await sql<{ photo_key: string | null }>`
        select photo_key from memberships
        where brand_id = ${brandId} and user_id = ${userId} and active`.execute(db);
      return rows[0]?.photo_key;
    },

    async findAccount(userId: number): Promise<Account | undefined> {
      const { rows } = await sql<Account>`
        select u.email, u.full_name, u.kind, u.password_hash is not null as has_password,
          exists (select from memberships o where o.user_id = u.user_id and o.active and o.brand_id <> ${brandId})
            or exists (select from guest_access g where g.user_id = u.user_id and g.brand_id <> ${brandId}) as elsewhere
        from memberships m join users u on u.user_id = m.user_id
        where m.brand_id = ${brandId} and m.user_id = ${userId} and m.active`.execute(db);
      return rows[0];
    },
  };
}

export const photoUrl = (brandId: number, userId: number): string =>
  `/api/v1/brands/${brandId}/members/${userId}/photo`;

export interface GuestPerson {
  user_id: number;
  email: string;
  full_name: string;
}

export function guestStore(db: Db | Tx, brandId: number) {
  /** Excludes members, because a member can still have an old guest row. */
  async function listThose(who: RawBuilder<unknown>): Promise<GuestPerson[]> {
    const { rows } = await sql<GuestPerson>`
      select u.user_id, u.email, u.full_name from users u
      where ${who}
        and not exists (select from memberships m where m.brand_id = ${brandId} and m.user_id = u.user_id and m.active)
      order by u.full_name, u.user_id`.execute(db);
    return rows;
  }

  return {
    listPeople: (userIds: number[]): Promise<GuestPerson[]> =>
      listThose(sql`u.user_id = any(${userIds}::integer[])`),

    /** Prefilters guests whose name or address may contain the words, regardless of their resources. */
    listNames: (words: readonly string[]): Promise<GuestPerson[]> =>
      listThose(sql`exists (select from guest_access g where g.brand_id = ${brandId} and g.user_id = u.user_id)
        and ${personMayHaveWords(words)}`),

    async findPerson(
      userId: number,
    ): Promise<(GuestPerson & { is_member: boolean; is_guest: boolean }) | undefined> {
      const { rows } = await sql<GuestPerson & { is_member: boolean; is_guest: boolean }>`
        select u.user_id, u.email, u.full_name,
          exists (select from memberships m
                  where m.brand_id = ${brandId} and m.user_id = u.user_id and m.active) as is_member,
          exists (select from guest_access g where g.brand_id = ${brandId} and g.user_id = u.user_id) as is_guest
        from users u where u.user_id = ${userId}`.execute(db);
      return rows[0];
    },
  };
}
