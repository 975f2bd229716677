import { sql } from 'kysely';
import { FORMER_MEMBER, formerAddress } from '../../../kernel/actors.js';
import { foldAccountName } from '../../../kernel/addresses.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { listInvitationsOf } from '../people/invitations.store.js';

export const erasingStore = (db: Db | Tx) => ({
  /** Returns the workspaces whose last admin is the person, and locks them so that this stays true. */
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

  /** Includes the spellings of the person's inviters. */
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

  async listPastWorkspaces(userId: number): Promise<number[]> {
    const { rows } = await sql<{ brand_id: number }>`
      select brand_id from memberships where user_id = ${userId}
      union select brand_id from past_guests where user_id = ${userId}`.execute(db);
    return rows.map(({ brand_id }) => brand_id);
  },

  /** Removes what identifies the person. Invitations come first, because they are found by the address. */
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

type Row = Record<string, unknown>;

/** Contains no secrets. */
export const personalDataStore = (db: Db, userId: number) => ({
  async readProfile(): Promise<Row> {
    const { rows } = await sql<Row>`
      select user_id, email, full_name, kind, mail_address, created_at from users where user_id = ${userId}`.execute(
      db,
    );
    return rows[0]!;
  },

  async listMemberships(): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select m.brand_id, b.name as workspace, m.role, m.position, m.active, m.joined_at,
        case when m.photo_key is not null
          then '/api/v1/brands/' || m.brand_id || '/members/' || m.user_id || '/photo' end as photo
      from memberships m join brands b using (brand_id)
      where m.user_id = ${userId} order by m.joined_at, m.brand_id`.execute(db);
    return rows;
  },

  async listGuestAccess(): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select g.brand_id, b.name as workspace, g.kind, g.resource_id, g.role, g.created_at
      from guest_access g join brands b using (brand_id)
      where g.user_id = ${userId} order by g.created_at, g.resource_id`.execute(db);
    return rows;
  },

  async listSessions(): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select session_id, brand_id, created_at, coalesce(last_seen_at, created_at) as last_seen_at, expires_at,
        address, agent
      from sessions
      where user_id = ${userId} order by created_at, session_id`.execute(db);
    return rows;
  },

  async listSignInMeans(): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select 'totp' as kind, null as issuer, null as subject, created_at from totp_factors
      where user_id = ${userId} and confirmed_at is not null
      union all
      select 'oidc', issuer, subject, created_at from oidc_accounts where user_id = ${userId}
      order by created_at`.execute(db);
    return rows;
  },

  async listTokens(): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select token_id, brand_id, name, scopes, created_at, expires_at, revoked_at, last_used_at, agent_id from tokens
      where user_id = ${userId} order by created_at, token_id`.execute(db);
    return rows;
  },

  async listInvitations(): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select i.brand_id, b.name as workspace, i.email, i.role, i.status, i.created_at, i.accepted_at
      from invitations i join brands b using (brand_id)
      where i.id = any(${await listInvitationsOf(db, userId)}::integer[]) order by i.id`.execute(db);
    return rows;
  },
});
