import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { BuildCheck, CheckFinish, FailedSetup } from './checks.schemas.js';
import { endOf, SHOWN_TAIL } from './log-tail.js';
import { hasFailed } from './verdict.js';

export interface ShownCheck extends BuildCheck {
  build_id: string;
}

/** The checks of builds of one workspace, as they are shown. */
export function checkStore(db: Db | Tx, brandId: number) {
  return {
    /** Those of many builds at once, without their logs. */
    async listOf(buildIds: readonly string[]): Promise<ShownCheck[]> {
      const { rows } = await sql<ShownCheck>`
        select c.build_id, c.name, c.status, c.seconds, c.exit_code, null as log_tail
        from build_checks c join build_check_runs r using (build_id)
        where r.brand_id = ${brandId} and c.build_id = any(${[...buildIds]}::uuid[])
        order by c.build_id, c.position`.execute(db);
      return rows;
    },

    /** How the setup of its checks failed, where it did. */
    async findFailedSetup(buildId: string): Promise<FailedSetup | undefined> {
      const { rows } = await sql<{ setup: CheckFinish['setup'] }>`
        select setup_result as setup from build_check_runs
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
      const setup = rows[0]?.setup;
      if (!hasFailed(setup)) return undefined;
      const { exit_code = null, seconds = null, log_tail } = setup;
      return { exit_code, seconds, log_tail: log_tail ? endOf(log_tail, SHOWN_TAIL) : null };
    },

    /** Those of one build with how their logs end; of the last pieces only as much as the end can need. */
    async listWithTails(buildId: string, most: typeof SHOWN_TAIL): Promise<ShownCheck[]> {
      const { rows } = await sql<ShownCheck>`
        select c.build_id, c.name, c.status, c.seconds, c.exit_code, tail.body as log_tail
        from build_checks c join build_check_runs r using (build_id)
        left join lateral (
          select string_agg(right(l.body, ${most.characters}), '' order by l.seq) as body from (
            select p.seq, p.body, sum(p.bytes) over (order by p.seq desc) - p.bytes as behind
            from build_check_log_chunks p where p.build_id = c.build_id and p.position = c.position
              and p.seq > c.log_seq - 500
          ) l where l.behind < ${most.characters * 4}
        ) tail on true
        where r.brand_id = ${brandId} and c.build_id = ${buildId} order by c.position`.execute(db);
      return rows.map((row) => ({
        ...row,
        log_tail: row.log_tail === null ? null : endOf(row.log_tail, most),
      }));
    },
  };
}
