import { sql } from 'kysely';
import { foldAccountName } from '../../../kernel/addresses.js';
import type { Log } from '../../../kernel/log.js';
import { violatedConstraint } from '../../../platform/database/connection/database-errors.js';
import type { Db } from '../../../platform/database/database.js';

const BATCH = 500;

interface Row {
  id: number;
  email: string;
}

/** Adds account names to people and invitations that an older version stored without one. */
export async function nameAccounts(db: Db, log: Log): Promise<void> {
  const listPeople = (after: number) =>
    sql<Row>`
    select user_id as id, email from users
    where account_name is null and user_id > ${after} order by user_id limit ${BATCH}`.execute(db);
  const namePerson = ({ id, email }: Row) =>
    sql`
    update users set account_name = ${foldAccountName(email)} where user_id = ${id}`.execute(db);
  await nameEach(listPeople, namePerson, log);

  const listInvitations = (after: number) =>
    sql<Row>`
    select id, email from invitations
    where account_name is null and id > ${after} order by id limit ${BATCH}`.execute(db);
  const nameInvitation = ({ id, email }: Row) =>
    sql`
    update invitations set account_name = ${foldAccountName(email)} where id = ${id}`.execute(db);
  await nameEach(listInvitations, nameInvitation, log);
}

async function nameEach(
  list: (after: number) => Promise<{ rows: Row[] }>,
  name: (row: Row) => Promise<unknown>,
  log: Log,
): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = await list(last);
    for (const row of rows) {
      await name(row).catch((error) => {
        if (violatedConstraint(error) === undefined) throw error;
        log.warn({ id: row.id }, 'An e-mail address is another spelling of one that has an account already');
      });
    }
    if (rows.length < BATCH) return;
    last = rows.at(-1)!.id;
  }
}
