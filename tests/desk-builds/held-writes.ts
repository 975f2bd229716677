import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** Columns of a build that are written once, which identify the steps. */
const COLUMNS = [
  'claimed_at',
  'started_at',
  'log_seq',
  'head_sha',
  'finish_digest',
  'checking_at',
  'finished_at',
  'cancel_requested_at',
  'accepted_at',
  'pushed_at',
] as const;
export type Column = (typeof COLUMNS)[number];

/** True unless the service was too busy to process the call. Calls without an answer count as processed. */
const isTaken = (answer: unknown): boolean => !(Number((answer as { status?: number })?.status) >= 500);

/**
 * Holds writes to chosen builds inside their transactions, so that a test can kill the server in the middle.
 */
export async function holdWrites(connection: pg.ClientConfig) {
  const client = new pg.Client(connection);
  // The test may kill the server under this connection.
  client.on('error', () => {});
  await client.connect();
  await client.query(`
    create or replace function hold_for_test() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock_shared(hashtext(new.build_id || tg_argv[0]));
      return new;
    end $$`);
  for (const column of COLUMNS)
    await client.query(`
      create or replace trigger hold_${column} before update on builds for each row
      when (old.${column} is distinct from new.${column}) execute function hold_for_test('${column}')`);

  return {
    /**
     * Resolves when the write of the column is held. The call is repeated until then, because a busy service
     * may refuse it or time out while it waits for another held write.
     */
    async hold(buildId: string, column: Column, call: () => Promise<unknown>): Promise<void> {
      await client.query('select pg_advisory_lock(hashtext($1))', [buildId + column]);
      let isHeld = false;
      const insist = async () => {
        while (!isHeld && !(await call().then(isTaken, () => false))) await pause(200);
      };
      void insist();
      const waits = async () => {
        const { rows } = await client.query(
          `select from pg_locks where locktype = 'advisory' and not granted
           and (classid::bigint << 32 | objid::bigint) = hashtext($1)::bigint`,
          [buildId + column],
        );
        return rows.length > 0;
      };
      while (!(await waits())) await pause(10);
      isHeld = true;
    },
    /** Works after the server was killed too, which released the locks. */
    release: () => client.end().catch(() => {}),
  };
}
