import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';

interface Unnamed {
  id: number;
  email: string;
}

/** Rows from before account names, or of a node that does not know them yet. */
export interface UnnamedStore {
  list(after: number, limit: number): Promise<Unnamed[]>;
  name(id: number, accountName: string): Promise<void>;
}

export const unnamedPeople = (db: Db): UnnamedStore => ({
  async list(after, limit) {
    const { rows } = await sql<Unnamed>`
      select user_id as id, email from users
      where account_name is null and user_id > ${after} order by user_id limit ${limit}`.execute(db);
    return rows;
  },
  async name(id, accountName) {
    await sql`update users set account_name = ${accountName} where user_id = ${id}`.execute(db);
  },
});

export const unnamedInvitations = (db: Db): UnnamedStore => ({
  async list(after, limit) {
    const { rows } = await sql<Unnamed>`
      select id, email from invitations
      where account_name is null and id > ${after} order by id limit ${limit}`.execute(db);
    return rows;
  },
  async name(id, accountName) {
    await sql`update invitations set account_name = ${accountName} where id = ${id}`.execute(db);
  },
});
