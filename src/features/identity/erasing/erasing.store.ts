import { sql } from 'kysely';
import { foldAccountName } from '../../../kernel/account-names.js';
import { FORMER_MEMBER, formerAddress } from '../../../kernel/former-member.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { listInvitationsOf } from '../members/invitations.store.js';

/** How a person ceases to be one, in whatever workspaces they were. */
export const erasingStore = (db: Db | Tx) => ({
  /** Workspaces that would be left without an admin, held so that it stays true; by name. */
  async lockLastAdminships(userId: number): Promise<string[]> {
    const { rows: held } = await sql<{ brand_id: number; name: string }>`
      select b.brand_id, b.name from brands b
      where b.brand_id in (
        select brand_id from memberships where user_id = ${userId} and active and role = 'admin')
      order by b.brand_id for no key update`.execute(db);
    const { rows } = await sql<{ brand_id: number }>`
      select mine.brand_id from unnest(${held.map(({ brand_id }) => brand_id)}::integer[]) as mine (brand_id)
      where not exists (
        select from memberships m
        where m.brand_id = mine.brand_id and m.user_id <> ${userId} and m.active and m.role = 'admin')`.execute(
      db,
    );
    const alone = new Set(rows.map(({ brand_id }) => brand_id));
    return held.filter(({ brand_id }) => alone.has(brand_id)).map(({ name }) => name);
  },

  /** Every address of the person, as they and those who invited them spelled it. */
  async listAddresses(userId: number): Promise<string[]> {
    const { rows } = await sql<{ address: string }>`
      with person as (select email, mail_address from users where user_id = ${userId})
      select email as address from person
      union select lower(email) from person
      union select mail_address from person where mail_address is not null
      union select email from invitations where id = any(${await listInvitationsOf(db, userId)}::integer[])`.execute(
      db,
    );
    return rows.map(({ address }) => address);
  },

  /** From now on nobody can be this person. */
  async close(userId: number, now: Date): Promise<void> {
    await sql`update users set erased_at = ${now}, password_hash = null where user_id = ${userId}`.execute(
      db,
    );
    await sql`delete from sessions where user_id = ${userId}`.execute(db);
    await sql`delete from password_resets where user_id = ${userId}`.execute(db);
    await sql`
      delete from password_reset_requests r using users u
      where u.user_id = ${userId} and r.account_name = u.account_name`.execute(db);
  },

  async listPhotoKeys(userId: number): Promise<string[]> {
    const { rows } = await sql<{ photo_key: string }>`
      select photo_key from memberships where user_id = ${userId} and photo_key is not null`.execute(db);
    return rows.map(({ photo_key }) => photo_key);
  },

  async listPastWorkplaces(userId: number): Promise<number[]> {
    const { rows } = await sql<{ brand_id: number }>`
      select brand_id from memberships where user_id = ${userId}
      union select brand_id from past_guests where user_id = ${userId}`.execute(db);
    return rows.map(({ brand_id }) => brand_id);
  },

  /** Name, address and whatever else says who it was; the invitations to the address first, which are found by it. */
  async forget(userId: number): Promise<void> {
    const address = formerAddress(userId);
    const account = foldAccountName(address);
    await sql`
      update invitations set email = ${address}, account_name = ${account},
        status = case when status = 'pending' then 'revoked' else status end
      where id = any(${await listInvitationsOf(db, userId)}::integer[])`.execute(db);
    await sql`
      update users set full_name = ${FORMER_MEMBER}, email = ${address}, account_name = ${account}, mail_address = null
      where user_id = ${userId}`.execute(db);
    await sql`update memberships set photo_key = null, position = null where user_id = ${userId}`.execute(db);
    await sql`delete from tokens where user_id = ${userId}`.execute(db);
    await sql`delete from past_guests where user_id = ${userId}`.execute(db);
  },

  /** Everybody leaves a workspace that is about to go. */
  async closeWorkspace(brandId: number, now: Date): Promise<void> {
    await sql`update memberships set active = false where brand_id = ${brandId} and active`.execute(db);
    await sql`delete from guest_access where brand_id = ${brandId}`.execute(db);
    await sql`delete from sessions where brand_id = ${brandId}`.execute(db);
    await sql`
      update tokens set revoked_at = ${now} where brand_id = ${brandId} and revoked_at is null`.execute(db);
    await sql`
      update invitations set status = 'revoked' where brand_id = ${brandId} and status = 'pending'`.execute(
      db,
    );
  },

  async listWorkspacePhotoKeys(brandId: number): Promise<string[]> {
    const { rows } = await sql<{ photo_key: string }>`
      select photo_key from memberships where brand_id = ${brandId} and photo_key is not null`.execute(db);
    return rows.map(({ photo_key }) => photo_key);
  },
});
