import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/database.js';
import type { Outcome } from './builds.schemas.js';
import { type BuildRow, buildColumns, statusAt } from './builds.store.js';
import { spentAt } from './checks/check-runs.store.js';
import type { SaidUsage, Totals } from './money/totals.js';

export interface Ending {
  outcome: Outcome;
  at: Date;
  reason: string | null;
  /** Undefined keeps what is there. */
  result?: string | null;
  usage?: SaidUsage | null;
  finishDigest?: string;
  lostAt?: Date;
}

/** The same with what the build shows from then on. */
type Ended = Omit<Ending, 'usage'> & { usage: Totals | undefined };

/** How builds of one workspace end. */
export function endingStore(db: Db | Tx, brandId: number) {
  return {
    async end(buildId: string, ending: Ended): Promise<void> {
      const { usage } = ending;
      await sql`
        update builds set outcome = ${ending.outcome}, finished_at = ${ending.at}, reason = ${ending.reason},
          result = coalesce(${ending.result ?? null}::text, result), finish_digest = coalesce(${ending.finishDigest ?? null}::text, finish_digest),
          lost_at = coalesce(${ending.lostAt ?? null}::timestamptz, lost_at),
          tokens_in = coalesce(${usage?.tokens_in ?? null}::bigint, tokens_in),
          tokens_out = coalesce(${usage?.tokens_out ?? null}::bigint, tokens_out),
          cost_usd = coalesce(${usage?.cost_usd ?? null}::float8, cost_usd)
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    /** What the coder said is kept; whether it counts is not known yet. One that was counted as lost is open again. */
    async beginChecking(
      buildId: string,
      { reason, result, usage, finishDigest }: Ended,
      now: Date,
    ): Promise<void> {
      await sql`
        update builds set checking_at = ${now}, outcome = null, finished_at = null, reason = ${reason},
          result = coalesce(${result ?? null}::text, result), finish_digest = ${finishDigest ?? null},
          tokens_in = coalesce(${usage?.tokens_in ?? null}::bigint, tokens_in),
          tokens_out = coalesce(${usage?.tokens_out ?? null}::bigint, tokens_out),
          cost_usd = coalesce(${usage?.cost_usd ?? null}::float8, cost_usd)
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    /** What was spent on a card, over all its builds, in decimals; and whether another attempt came after this one. */
    async sumUp(
      build: Pick<BuildRow, 'task_id' | 'attempt'>,
    ): Promise<{ tokens_in: number; tokens_out: number; cost_usd: number; newer: boolean }> {
      const { rows } = await sql<{ tokens_in: number; tokens_out: number; cost_usd: number; newer: boolean }>`
        select coalesce(sum(tokens_in), 0)::bigint as tokens_in, coalesce(sum(tokens_out), 0)::bigint as tokens_out,
          coalesce(sum(cost_usd::numeric), 0)::float8 as cost_usd, coalesce(bool_or(attempt > ${build.attempt}), false) as newer
        from builds where brand_id = ${brandId} and task_id = ${build.task_id}`.execute(db);
      return rows[0]!;
    },
  };
}

/** Builds of all workspaces that the clock has ended, or whose claim it has, before anybody wrote it down. */
export function duePassStore(db: Db | Tx) {
  return {
    async lockDue(now: Date, passedOver: readonly string[]): Promise<BuildRow | undefined> {
      const { rows } = await sql<BuildRow>`
        select ${buildColumns(now)} from builds b
        where b.finished_at is null and b.build_id <> all(${[...passedOver]}::uuid[]) and (
          ${statusAt(now)} in ('lost', 'timed_out', 'canceled')
          or (b.started_at is null and b.claimed_at is not null and ${statusAt(now)} = 'queued')
          or ${spentAt(now)}
          or (b.cancel_requested_at is null and not exists (select from cards k where k.card_id = b.task_id)))
        order by b.queued_at limit 1 for no key update of b skip locked`.execute(db);
      return rows[0];
    },

    /** The dead claim is forgotten: whoever asks next may have the build. */
    async dropClaim(buildId: string): Promise<void> {
      await sql`
        update builds set claim_hash = null, claimed_at = null, workstation_id = null
        where build_id = ${buildId} and started_at is null`.execute(db);
    },

    async countOpen(now: Date): Promise<{ status: string; builds: number; oldest: number }[]> {
      const { rows } = await sql<{ status: string; builds: number; oldest: number }>`
        select s.status, count(*)::int as builds,
          extract(epoch from ${now}::timestamptz - min(s.queued_at))::float8 as oldest
        from (select ${statusAt(now)} as status, b.queued_at from builds b where b.finished_at is null) s
        group by 1`.execute(db);
      return rows;
    },
  };
}
