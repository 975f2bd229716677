import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { isAtWork, statusAt } from '../record/builds.store.js';

export interface LogPiece {
  buildId: string;
  seq: number;
  body: string;
  bytes: number;
}

export interface Fence {
  deskId: string;
  claimHash: string;
}

export interface LogState {
  log_seq: number;
  log_head_seq: number;
  log_gap_until: number;
  log_gap_bytes: number;
  started_at: Date | null;
  ended: boolean;
}

export interface ChunkRow {
  seq: number;
  at: Date;
  body: string;
}

export interface LogReading {
  state: LogState;
  chunks: ChunkRow[];
}

const HEAD_BYTES = 8 * 1024 * 1024;
const KEPT_BYTES = 16 * 1024 * 1024;
/** Drops more than needed, so that most pieces do not drop anything. */
const SLACK_BYTES = 256 * 1024;
/** A page is held in memory as a whole. */
const PAGE_BYTES = 2 * 1024 * 1024;

export function logStore(db: Db | Tx, brandId: number) {
  const append = (
    piece: LogPiece,
    now: Date,
    which: ReturnType<typeof sql>,
    heard: ReturnType<typeof sql>,
  ) => {
    const inHead = sql`(b.log_head_seq = ${piece.seq - 1} and b.log_head_bytes + ${piece.bytes} <= ${sql.lit(HEAD_BYTES)})`;
    return sql<{ log_bytes: number }>`
      with build as (
        update builds b set log_seq = ${piece.seq}, log_bytes = b.log_bytes + ${piece.bytes}, heard_at = ${heard}, progress_at = greatest(b.progress_at, ${heard}),
          log_head_seq = case when ${inHead} then ${piece.seq} else b.log_head_seq end,
          log_head_bytes = case when ${inHead} then b.log_head_bytes + ${piece.bytes} else b.log_head_bytes end
        where b.brand_id = ${brandId} and b.build_id = ${piece.buildId} and b.log_seq = ${piece.seq - 1} and ${which}
        returning b.build_id, b.log_bytes
      ), piece as (
        insert into build_log_chunks (build_id, seq, at, bytes, body)
        select build_id, ${piece.seq}, ${now}, ${piece.bytes}, ${piece.body} from build
      )
      select log_bytes from build`.execute(db);
  };

  return {
    /** A single statement. False when the piece is not the next one, or the claim is dead. */
    async tryAppend(piece: LogPiece, claim: Fence, now: Date): Promise<boolean> {
      const running = sql`b.workstation_id = ${claim.deskId} and b.claim_hash = ${claim.claimHash}
        and ${isAtWork(now)}`;
      const { rows } = await append(piece, now, running, sql`greatest(b.heard_at, ${now})`);
      if (rows[0] && rows[0].log_bytes > KEPT_BYTES) await this.dropMiddle(piece.buildId);
      return rows.length > 0;
    },

    /** Skips locked builds, so that two statements cannot block each other. */
    async appendMany(pieces: readonly { piece: LogPiece; fence: Fence }[], now: Date): Promise<Set<string>> {
      const inHead = sql`(b.log_head_seq = g.seq - 1 and b.log_head_bytes + g.bytes <= ${sql.lit(HEAD_BYTES)})`;
      const { rows } = await sql<{ build_id: string; log_bytes: number }>`
        with given as (
          select * from unnest(
            ${pieces.map(({ piece }) => piece.buildId)}::uuid[], ${pieces.map(({ piece }) => piece.seq)}::int[],
            ${pieces.map(({ piece }) => piece.bytes)}::int[], ${pieces.map(({ piece }) => piece.body)}::text[],
            ${pieces.map(({ fence }) => fence.deskId)}::uuid[], ${pieces.map(({ fence }) => fence.claimHash)}::text[]
          ) as g (build_id, seq, bytes, body, desk_id, claim_hash)
        ), free as (
          select b.build_id from builds b join given g using (build_id)
          where b.brand_id = ${brandId} and b.log_seq = g.seq - 1 and b.workstation_id = g.desk_id
            and b.claim_hash = g.claim_hash and ${isAtWork(now)}
          for no key update of b skip locked
        ), build as (
          update builds b set log_seq = g.seq, log_bytes = b.log_bytes + g.bytes, heard_at = greatest(b.heard_at, ${now}),
            progress_at = greatest(b.progress_at, ${now}), log_head_seq = case when ${inHead} then g.seq else b.log_head_seq end,
            log_head_bytes = case when ${inHead} then b.log_head_bytes + g.bytes else b.log_head_bytes end
          from free join given g using (build_id) where b.build_id = free.build_id
          returning b.build_id, b.log_bytes
        ), piece as (
          insert into build_log_chunks (build_id, seq, at, bytes, body)
          select build_id, g.seq, ${now}, g.bytes, g.body from build join given g using (build_id)
        )
        select build_id, log_bytes from build`.execute(db);
      for (const { build_id, log_bytes } of rows) if (log_bytes > KEPT_BYTES) await this.dropMiddle(build_id);
      return new Set(rows.map(({ build_id }) => build_id));
    },

    /** The caller holds the build's lock. Does not count as a sign of life. */
    async append(piece: LogPiece, now: Date): Promise<void> {
      const { rows } = await append(piece, now, sql`true`, sql`b.heard_at`);
      if (rows[0] && rows[0].log_bytes > KEPT_BYTES) await this.dropMiddle(piece.buildId);
    },

    /** Keeps the head and the newest pieces. */
    async dropMiddle(buildId: string): Promise<void> {
      await sql`
        with build as (
          select b.build_id, b.log_bytes, greatest(b.log_head_seq, b.log_gap_until) as kept_until from builds b
          where b.brand_id = ${brandId} and b.build_id = ${buildId} and b.log_bytes > ${sql.lit(KEPT_BYTES)}
          for no key update of b
        ), tail as (
          select c.seq, c.bytes, sum(c.bytes) over (order by c.seq) - c.bytes as before, build.log_bytes
          from build join build_log_chunks c on c.build_id = build.build_id and c.seq > build.kept_until
        ), gone as (
          delete from build_log_chunks c using tail t
          where c.build_id = ${buildId} and c.seq = t.seq and t.log_bytes - t.before > ${sql.lit(KEPT_BYTES - SLACK_BYTES)}
          returning c.seq, c.bytes
        ), summed as (select max(seq) as until, sum(bytes) as bytes from gone)
        update builds b set log_gap_until = summed.until, log_gap_bytes = b.log_gap_bytes + summed.bytes,
          log_bytes = b.log_bytes - summed.bytes
        from summed where b.build_id = ${buildId} and summed.until is not null`.execute(db);
    },

    /** A single statement, because a piece written between two would be missed. */
    async read(buildId: string, after: number, limit: number, now: Date): Promise<LogReading | undefined> {
      const { rows } = await sql<LogState & { seq: number | null; at: Date; body: string }>`
        select b.log_seq, b.log_head_seq, b.log_gap_until, b.log_gap_bytes, b.started_at,
          ${statusAt(now)} not in ('queued', 'claimed', 'running', 'waiting') as ended, page.seq, page.at, page.body
        from builds b left join lateral (
          select c.seq, c.at, c.body, sum(c.bytes) over (order by c.seq) - c.bytes as before
          from build_log_chunks c where c.build_id = b.build_id and c.seq > ${after}
          order by c.seq limit ${limit}
        ) page on page.before < ${sql.lit(PAGE_BYTES)}
        where b.brand_id = ${brandId} and b.build_id = ${buildId} order by page.seq`.execute(db);
      const state = rows[0];
      const chunks = rows.flatMap(({ seq, at, body }) => (seq === null ? [] : [{ seq, at, body }]));
      return state && { state, chunks };
    },

    async listCardsAtWork(buildIds: readonly string[]): Promise<string[]> {
      const { rows } = await sql<{ task_id: string }>`
        select task_id from builds
        where brand_id = ${brandId} and build_id = any(${[...buildIds]}::uuid[]) and finished_at is null
          and kind = 'build'`.execute(db);
      return rows.map(({ task_id }) => task_id);
    },
  };
}
