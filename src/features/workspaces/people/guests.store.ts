import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { personMayHaveWords } from '../../../platform/database/schema/words.js';

export interface GuestPerson {
  user_id: number;
  email: string;
  full_name: string;
}

export function guestStore(db: Db | Tx, brandId: number) {
  /** Those of the people who are no members: a member with an old guest row is no guest. */
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

    /** Those whose name or address may have the words, whatever they can open. */
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
