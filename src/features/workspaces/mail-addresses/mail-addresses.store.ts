import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

interface OwnMail {
  name: string | null;
  mail_address: string | null;
}

/** Bound to a person instead of a workspace, because names belong to people across workspaces. */
export function mailNameStore(db: Db | Tx, userId: number) {
  /** True while the name of an erased person is held back under its hash. */
  const heldBack = (held: string, now: Date) => sql`exists (
    select from mail_names h where h.name = ${held} and h.forwards_until > ${now})`;
  return {
    async readOwn(): Promise<OwnMail> {
      const { rows } = await sql<OwnMail>`
        select n.name, u.mail_address
        from users u left join mail_names n on n.user_id = u.user_id and n.current
        where u.user_id = ${userId}`.execute(db);
      return rows[0] ?? { name: null, mail_address: null };
    },

    /** Locks the person's row, so that their renames run one after another. */
    async lockOwn(): Promise<void> {
      await sql`select from users where user_id = ${userId} for no key update`.execute(db);
    },

    /** True if the name is free, no longer forwards, or is one of the person's own old names. */
    async isAvailable(name: string, held: string, now: Date): Promise<boolean> {
      const { rows } = await sql<{ taken: boolean }>`
        select exists (
          select from mail_names
          where name = ${name} and (current or (user_id <> ${userId} and forwards_until > ${now})))
          or ${heldBack(held, now)} as taken`.execute(db);
      return !rows[0]!.taken;
    },

    async startForwarding(until: Date): Promise<void> {
      await sql`
        update mail_names set current = false, forwards_until = ${until}
        where user_id = ${userId} and current`.execute(db);
    },

    /** Replaces the name by its hash, including an older row with the same hash. */
    async holdBack(name: string, held: string): Promise<void> {
      await sql`delete from mail_names where name = ${held}`.execute(db);
      await sql`
        update mail_names set name = ${held} where user_id = ${userId} and name = ${name}`.execute(db);
    },

    async readForwards(now: Date): Promise<{ forwards: number; first_end: Date | null }> {
      const { rows } = await sql<{ forwards: number; first_end: Date | null }>`
        select count(*) as forwards, min(forwards_until) as first_end from mail_names
        where user_id = ${userId} and not current and forwards_until > ${now}`.execute(db);
      return rows[0]!;
    },

    async listNames(): Promise<{ name: string; current: boolean; forwards_until: Date | null }[]> {
      const { rows } = await sql<{ name: string; current: boolean; forwards_until: Date | null }>`
        select name, current, forwards_until from mail_names where user_id = ${userId} order by name`.execute(
        db,
      );
      return rows;
    },

    async listForwards(now: Date): Promise<{ name: string; until: Date }[]> {
      const { rows } = await sql<{ name: string; until: Date }>`
        select name, forwards_until as until from mail_names
        where user_id = ${userId} and not current and forwards_until > ${now}
        order by forwards_until desc, name`.execute(db);
      return rows;
    },

    /** Atomic: of several people who claim a name at once, one gets it. Returns false if another person has it. */
    async claim(name: string, held: string, now: Date): Promise<boolean> {
      const { rows } = await sql`
        insert into mail_names (name, user_id, current, forwards_until)
        select ${name}, ${userId}, true, null where not ${heldBack(held, now)}
        on conflict (name) do update set user_id = excluded.user_id, current = true, forwards_until = null
        where not mail_names.current and (mail_names.user_id = ${userId} or mail_names.forwards_until <= ${now})
        returning name`.execute(db);
      return rows.length === 1;
    },
  };
}

export async function findMailboxByName(db: Db, name: string, now: Date) {
  const { rows } = await sql<{ user_id: number; current_name: string }>`
    select n.user_id, own.name as current_name
    from mail_names n join mail_names own on own.user_id = n.user_id and own.current
    where n.name = ${name} and (n.current or n.forwards_until > ${now})`.execute(db);
  return rows[0];
}

export async function deleteNamesOfErased(db: Db, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from mail_names where name in (
      select n.name from users u join mail_names n using (user_id)
      where u.erased_at is not null and n.forwards_until <= ${now} limit ${limit})
    returning 1`.execute(db);
  return rows.length;
}
