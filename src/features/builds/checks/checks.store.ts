import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { CLAIM_SECONDS, LOST_SECONDS, OVERDUE_MINUTES } from '../record/builds.store.js';
import type { BuildChecks } from './check-rules.js';
import {
  type BuildCheck,
  type CheckEnd,
  type CheckFinish,
  type CheckReport,
  endOf,
  type FailedSetup,
  hasFailed,
  SHOWN_TAIL,
} from './checks.schemas.js';

export interface CheckRunRow {
  build_id: string;
  head_sha: string;
  setup: { command: string; minutes: number } | null;
  required: boolean;
  runs: number;
  claim_hash: string | null;
  desk_id: string | null;
  started_at: Date | null;
  finish_digest: string | null;
  ended_at: Date | null;
  /** A desk is running the checks and still reports, judged by the clock. */
  live: boolean;
}

export interface CheckRow {
  position: number;
  name: string;
  command: string;
  minutes: number;
}

/** How often a run that never ended is started again. */
export const MOST_RUNS = 3;

/** The only definition of a live run. */
export const liveAt = (now: Date): RawBuilder<boolean> => sql<boolean>`(r.ended_at is null and coalesce(case
  when r.started_at is null then r.claimed_at + make_interval(secs => ${sql.lit(CLAIM_SECONDS)})
  else least(r.heard_at + make_interval(secs => ${sql.lit(LOST_SECONDS)}),
    r.started_at + make_interval(mins => r.minutes + ${sql.lit(OVERDUE_MINUTES)})) end > ${now}::timestamptz, false))`;

/** All runs were used up, and none is live. */
export const spentAt = (now: Date): RawBuilder<boolean> => sql<boolean>`exists (
  select from build_check_runs r where r.build_id = b.build_id and r.ended_at is null
    and r.runs >= ${sql.lit(MOST_RUNS)} and not ${liveAt(now)})`;

export function checkRunStore(db: Db | Tx, brandId: number) {
  return {
    /** Replaces the run of an earlier check. */
    async open(buildId: string, headSha: string, plan: BuildChecks, now: Date): Promise<void> {
      const { setup, required, checks } = plan;
      const minutes = (setup?.minutes ?? 0) + checks.reduce((sum, check) => sum + check.minutes, 0);
      await sql`delete from build_check_runs where brand_id = ${brandId} and build_id = ${buildId}`.execute(
        db,
      );
      await sql`
        with run as (
          insert into build_check_runs (build_id, brand_id, head_sha, setup, required, minutes, began_at)
          values (${buildId}, ${brandId}, ${headSha}, ${setup && JSON.stringify(setup)}::jsonb, ${required}, ${minutes}, ${now})
        )
        insert into build_checks (build_id, position, name, command, minutes, status)
        select ${buildId}, c.position, c.name, c.command, c.minutes, 'pending'
        from unnest(${checks.map(({ name }) => name)}::text[], ${checks.map(({ command }) => command)}::text[],
          ${checks.map((check) => check.minutes)}::int[]) with ordinality as c (name, command, minutes, position)`.execute(
        db,
      );
    },

    async find(buildId: string, now: Date): Promise<CheckRunRow | undefined> {
      const { rows } = await sql<CheckRunRow>`
        select r.build_id, r.head_sha, r.setup, r.required, r.runs, r.claim_hash, r.desk_id, r.started_at, r.finish_digest,
          r.ended_at, ${liveAt(now)} as live
        from build_check_runs r where r.brand_id = ${brandId} and r.build_id = ${buildId}`.execute(db);
      return rows[0];
    },

    async lock(buildId: string, now: Date): Promise<CheckRunRow | undefined> {
      await sql`
        select from build_check_runs where brand_id = ${brandId} and build_id = ${buildId} for no key update`.execute(
        db,
      );
      return this.find(buildId, now);
    },

    async listChecks(buildId: string): Promise<CheckRow[]> {
      const { rows } = await sql<CheckRow>`
        select c.position, c.name, c.command, c.minutes from build_checks c join build_check_runs r using (build_id)
        where r.brand_id = ${brandId} and c.build_id = ${buildId} order by c.position`.execute(db);
      return rows;
    },

    /** Takes the longest waiting first. A desk must stop a build before it can get it again. */
    async claim(
      deskId: string,
      running: readonly string[],
      claimHashes: readonly string[],
      now: Date,
    ): Promise<{ build_id: string; nth: number }[]> {
      const { rows } = await sql<{ build_id: string; nth: number }>`
        with free as (
          select r.build_id, r.began_at from build_check_runs r join builds b using (build_id)
          where r.brand_id = ${brandId} and r.ended_at is null and r.runs < ${sql.lit(MOST_RUNS)} and not ${liveAt(now)}
            and r.build_id <> all(${[...running]}::uuid[])
            and b.project_id = coalesce((select k.only_project_id from desks k where k.desk_id = ${deskId}), b.project_id)
            and not exists (select from build_policies p where p.brand_id = ${brandId} and not p.enabled)
          order by r.began_at, r.build_id limit ${claimHashes.length}
          for no key update of r skip locked
        ), given as (
          select build_id, row_number() over (order by began_at, build_id) as nth from free
        )
        update build_check_runs r set claim_hash = c.hash, claimed_at = ${now}, desk_id = ${deskId}, started_at = null,
          heard_at = null
        from given join unnest(${[...claimHashes]}::text[]) with ordinality as c (hash, nth) using (nth)
        where r.build_id = given.build_id
        returning r.build_id, nth::int as nth`.execute(db);
      return rows;
    },

    /** Discards the results of an earlier run. */
    async start(buildId: string, now: Date): Promise<void> {
      await sql`
        with fresh as (
          update build_check_runs set started_at = ${now}, heard_at = ${now}, runs = runs + 1
          where brand_id = ${brandId} and build_id = ${buildId} returning build_id
        ), gone as (
          delete from build_check_log_chunks l using fresh where l.build_id = fresh.build_id
        )
        update build_checks c set status = 'pending', exit_code = null, seconds = null, log_seq = 0, log_bytes = 0,
          log_head_seq = 0, log_head_bytes = 0, log_gap_until = 0, log_gap_bytes = 0
        from fresh where c.build_id = fresh.build_id`.execute(db);
    },

    /** Counts as a sign of life. Returns the cards. */
    async hear(deskId: string, buildIds: readonly string[], now: Date): Promise<string[]> {
      const { rows } = await sql<{ task_id: string }>`
        update build_check_runs r set heard_at = ${now} from builds b
        where r.brand_id = ${brandId} and r.desk_id = ${deskId} and r.build_id = any(${[...buildIds]}::uuid[])
          and r.started_at is not null and r.heard_at < ${now} and ${liveAt(now)} and b.build_id = r.build_id
        returning b.task_id`.execute(db);
      return rows.map(({ task_id }) => task_id);
    },

    async report(buildId: string, position: number, { status, ...told }: CheckReport): Promise<void> {
      await sql`
        update build_checks c set status = ${status}, exit_code = ${told.exit_code ?? null}, seconds = ${told.seconds ?? null}
        from build_check_runs r
        where r.brand_id = ${brandId} and c.build_id = ${buildId} and r.build_id = c.build_id and c.position = ${position}`.execute(
        db,
      );
    },

    async finish(
      buildId: string,
      ends: readonly {
        position: number;
        status: CheckEnd;
        exit_code: number | null;
        seconds: number | null;
      }[],
      { digest, setup }: { digest: string; setup: unknown },
      now: Date,
    ): Promise<void> {
      await sql`
        with told as (
          update build_check_runs set finish_digest = ${digest}, setup_result = ${setup ? JSON.stringify(setup) : null}::jsonb,
            ended_at = ${now}
          where brand_id = ${brandId} and build_id = ${buildId} returning build_id
        )
        update build_checks c set status = e.status, exit_code = e.exit_code, seconds = e.seconds
        from told, unnest(${ends.map(({ position }) => position)}::int[], ${ends.map(({ status }) => status)}::text[],
          ${ends.map(({ exit_code }) => exit_code)}::int[], ${ends.map(({ seconds }) => seconds)}::float8[])
          as e (position, status, exit_code, seconds)
        where c.build_id = told.build_id and c.position = e.position`.execute(db);
    },

    /** Skips the checks that have not ended. */
    async close(buildId: string, now: Date): Promise<{ desk_id: string | null } | undefined> {
      const { rows } = await sql<{ desk_id: string | null }>`
        with over as (
          update build_check_runs set ended_at = ${now}
          where brand_id = ${brandId} and build_id = ${buildId} and ended_at is null returning build_id, desk_id
        ), left_out as (
          update build_checks c set status = 'skipped' from over
          where c.build_id = over.build_id and c.status in ('pending', 'running')
        )
        select desk_id from over`.execute(db);
      return rows[0];
    },
  };
}

export interface ShownCheck extends BuildCheck {
  build_id: string;
}

export function checkStore(db: Db | Tx, brandId: number) {
  return {
    async listOf(buildIds: readonly string[]): Promise<ShownCheck[]> {
      const { rows } = await sql<ShownCheck>`
        select c.build_id, c.name, c.status, c.seconds, c.exit_code, null as log_tail
        from build_checks c join build_check_runs r using (build_id)
        where r.brand_id = ${brandId} and c.build_id = any(${[...buildIds]}::uuid[])
        order by c.build_id, c.position`.execute(db);
      return rows;
    },

    async findFailedSetup(buildId: string): Promise<FailedSetup | undefined> {
      const { rows } = await sql<{ setup: CheckFinish['setup'] }>`
        select setup_result as setup from build_check_runs
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
      const setup = rows[0]?.setup;
      if (!hasFailed(setup)) return undefined;
      const { exit_code = null, seconds = null, log_tail } = setup;
      return { exit_code, seconds, log_tail: log_tail ? endOf(log_tail, SHOWN_TAIL) : null };
    },

    /** Reads only as many of the last pieces as the tail can need. */
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
