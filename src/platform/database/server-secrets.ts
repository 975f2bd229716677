import { sql } from 'kysely';
import type { Db, Tx } from './database.js';

/** Returns the stored secret, or stores the given one. */
export async function shareSecret(db: Db | Tx, name: string, made: string): Promise<string> {
  const { rows } = await sql<{ value: string }>`
    insert into server_secrets (name, value) values (${name}, ${made})
    on conflict (name) do update set value = server_secrets.value
    returning value`.execute(db);
  return rows[0]!.value;
}

export async function findSharedSecret(db: Db | Tx, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`
    select value from server_secrets where name = ${name}`.execute(db);
  return rows[0]?.value;
}
