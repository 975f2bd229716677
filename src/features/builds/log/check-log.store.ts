import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { LogReading, LogState } from './log.store.js';

/** A build may have thirty checks, so each keeps less than a build's own log. */
const HEAD_BYTES = 1024 * 1024;
const KEPT_BYTES = 4 * 1024 * 1024;
/** Drops more than needed, so that most pieces do not drop anything. */
const SLACK_BYTES = 256 * 1024;
const PAGE_BYTES = 2 * 1024 * 1024;

export interface CheckLogPiece {
  position: number;
  seq: number;
  bytes: number;
  body: string;
}

export function checkLogStore(db: Db | Tx, brandId: number) {
  /** Keeps the head and the newest pieces. */
  async function dropMiddle(buildId: string, position: number): Promise<void> {
    await sql`
      with held as (
        select c.log_bytes, greatest(c.log_head_seq, c.log_gap_until) as kept_until from build_checks c
        where c.build_id = ${buildId} and c.position = ${position}
      ), tail as (
        select l.seq, sum(l.bytes) over (order by l.seq) - l.bytes as before, held.log_bytes
        from held, build_check_log_chunks l
        where l.build_id = ${buildId} and l.position = ${position} and l.seq > held.kept_until
      ), gone as (
        delete from build_check_log_chunks l using tail t
        where l.build_id = ${buildId} and l.position = ${position} and l.seq = t.seq
          and t.log_bytes - t.before > ${sql.lit(KEPT_BYTES - SLACK_BYTES)}
        returning l.seq, l.bytes
      ), summed as (select max(seq) as until, sum(bytes) as bytes from gone)
      update build_checks c set log_gap_until = summed.until, log_gap_bytes = c.log_gap_bytes + summed.bytes,
        log_bytes = c.log_bytes - summed.bytes
      from summed where c.build_id = ${buildId} and c.position = ${position} and summed.until is not null`.execute(
      db,
    );
  }

  return {
    async findPlace(
      buildId: string,
      name: string,
    ): Promise<{ position: number; log_seq: number } | undefined> {
      const { rows } = await sql<{ position: number; log_seq: number }>`
        select c.position, c.log_seq from build_checks c join build_check_runs r using (build_id)
        where r.brand_id = ${brandId} and c.build_id = ${buildId} and c.name = ${name}`.execute(db);
      return rows[0];
    },

    async append(buildId: string, { position, seq, bytes, body }: CheckLogPiece, now: Date): Promise<void> {
      const inHead = sql`(c.log_head_seq = ${seq - 1} and c.log_head_bytes + ${bytes} <= ${sql.lit(HEAD_BYTES)})`;
      const { rows } = await sql<{ log_bytes: number }>`
        with held as (
          update build_checks c set log_seq = ${seq}, log_bytes = c.log_bytes + ${bytes},
            log_head_seq = case when ${inHead} then ${seq} else c.log_head_seq end,
            log_head_bytes = case when ${inHead} then c.log_head_bytes + ${bytes} else c.log_head_bytes end
          where c.build_id = ${buildId} and c.position = ${position} and c.log_seq = ${seq - 1}
          returning c.build_id, c.position, c.log_bytes
        ), piece as (
          insert into build_check_log_chunks (build_id, position, seq, at, bytes, body)
          select build_id, position, ${seq}, ${now}, ${bytes}, ${body} from held
        )
        select log_bytes from held`.execute(db);
      if (rows[0] && rows[0].log_bytes > KEPT_BYTES) await dropMiddle(buildId, position);
    },

    async read(buildId: string, name: string, after: number, limit: number): Promise<LogReading | undefined> {
      const { rows } = await sql<LogState & { seq: number | null; at: Date; body: string }>`
        select c.log_seq, c.log_head_seq, c.log_gap_until, c.log_gap_bytes, r.started_at, r.ended_at is not null as ended,
          page.seq, page.at, page.body
        from build_checks c join build_check_runs r using (build_id)
        left join lateral (
          select l.seq, l.at, l.body, sum(l.bytes) over (order by l.seq) - l.bytes as before
          from build_check_log_chunks l where l.build_id = c.build_id and l.position = c.position and l.seq > ${after}
          order by l.seq limit ${limit}
        ) page on page.before < ${sql.lit(PAGE_BYTES)}
        where r.brand_id = ${brandId} and c.build_id = ${buildId} and c.name = ${name} order by page.seq`.execute(
        db,
      );
      const state = rows[0];
      const chunks = rows.flatMap(({ seq, at, body }) => (seq === null ? [] : [{ seq, at, body }]));
      return state && { state, chunks };
    },
  };
}
