import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { ReportedUsage, Totals } from '../budget/spending.js';
import type { Outcome } from '../builds.schemas.js';
import { spentAt } from '../checks/checks.store.js';
import type { WrittenBrief } from '../record/build-deps.js';
import {
  ASKS_WITHIN_SECONDS,
  type BuildRow,
  buildColumns,
  isAtWork,
  isWaitingAt,
  statusAt,
  wantedDesk,
} from '../record/builds.store.js';

export interface RunningBuild {
  build_id: string;
  progress_at: string | null;
  progress_percent?: number | undefined;
}

export interface StartSettings {
  settings: BuildRow['settings'];
  wallMinutes: number;
  stallMinutes: number;
}

export interface Claimable {
  coders: readonly string[];
  /** Coders that run through the owner's wrapper. */
  wrapped: readonly string[];
  running: readonly string[];
  passOver: { builds: readonly string[]; projects: readonly string[] };
}

export interface ClaimedBuild {
  build_id: string;
  project_id: string;
  nth: number;
}

export interface EndReport {
  at: Date;
  reason: string | null;
  /** Undefined keeps the stored value. */
  result?: string | null | undefined;
  usage?: ReportedUsage | null | undefined;
  finishDigest?: string | undefined;
}

type Shown = Omit<EndReport, 'usage'> & { usage: Totals | undefined };

export function lifecycleStore(db: Db | Tx, brandId: number) {
  return {
    /** Takes the oldest builds that the desk can run. A desk must stop a build before it can get it again. */
    async claim(
      deskId: string,
      { coders, wrapped, running, passOver }: Claimable,
      claimHashes: readonly string[],
      now: Date,
    ): Promise<ClaimedBuild[]> {
      const { rows } = await sql<ClaimedBuild>`
        with free as (
          select b.build_id, b.queued_at from builds b
          where b.brand_id = ${brandId} and ${isWaitingAt(now)} and b.coder = any(${[...coders]}::text[]) and b.build_id <> all(${[...running, ...passOver.builds]}::uuid[])
            and b.project_id <> all(${[...passOver.projects]}::uuid[])
            and coalesce(${wantedDesk}, ${deskId}::uuid) = ${deskId}::uuid
            and b.project_id = coalesce((select k.only_project_id from desks k where k.desk_id = ${deskId}), b.project_id)
            and not exists (select from build_policies p where p.brand_id = ${brandId} and not p.enabled)
            and not exists (select from build_desks d where d.desk_id = ${deskId}
              and (d.held_until > ${now}::timestamptz or jsonb_exists(d.refusals, b.coder)))
            and not (b.coder = any(${[...wrapped]}::text[]) and ${wantedDesk} is null and exists (
              select from build_desks o join desks k using (desk_id)
              where o.brand_id = ${brandId} and o.desk_id <> ${deskId} and o.free_slots > 0
                and o.asked_at > ${now}::timestamptz - make_interval(secs => ${sql.lit(ASKS_WITHIN_SECONDS)})
                and b.coder = any(o.coders) and b.coder <> all(o.wrapped) and not jsonb_exists(o.refusals, b.coder)
                and coalesce(o.held_until <= ${now}::timestamptz, true)
                and k.status = 'active' and coalesce(k.only_project_id, b.project_id) = b.project_id))
          order by b.queued_at, b.build_id limit ${claimHashes.length}
          for no key update skip locked
        ), given as (
          select build_id, row_number() over (order by queued_at, build_id) as nth from free
        )
        update builds b set claim_hash = c.hash, claimed_at = ${now}, workstation_id = ${deskId},
          wanted_workstation_id = ${wantedDesk}
        from given join unnest(${[...claimHashes]}::text[]) with ordinality as c (hash, nth) using (nth)
        where b.build_id = given.build_id
        returning b.build_id, b.project_id, nth::int as nth`.execute(db);
      return rows;
    },

    async putBack(buildIds: readonly string[]): Promise<void> {
      await sql`
        update builds set claim_hash = null, claimed_at = null, workstation_id = null
        where brand_id = ${brandId} and build_id = any(${[...buildIds]}::uuid[]) and started_at is null`.execute(
        db,
      );
    },

    /** Counts as a sign of life. Returns the cards. */
    async hear(
      deskId: string,
      builds: readonly RunningBuild[],
      now: Date,
    ): Promise<{ card: string; percent: number | null }[]> {
      const { rows } = await sql<{ task_id: string; kind: string; percent: number | null }>`
        update builds b set heard_at = ${now},
          progress_at = greatest(b.progress_at, case when said.progress_at is not null then least(said.progress_at, ${now}::timestamptz) end)
        from json_to_recordset(${JSON.stringify(builds)}) as said (build_id uuid, progress_at timestamptz, progress_percent int)
        where b.brand_id = ${brandId} and b.workstation_id = ${deskId} and b.build_id = said.build_id
          and b.finished_at is null and ${isAtWork(now)} and b.heard_at < ${now}
        returning b.task_id, b.kind, said.progress_percent as percent`.execute(db);
      return rows.flatMap(({ task_id, kind, percent }) =>
        kind === 'build' ? [{ card: task_id, percent }] : [],
      );
    },

    async start(
      buildId: string,
      {
        brief,
        settings,
        wallMinutes,
        stallMinutes,
      }: StartSettings & { brief: WrittenBrief & { digest: string } },
      now: Date,
    ): Promise<void> {
      await sql`
        with kept as (
          insert into build_briefs (build_id, body) values (${buildId}, ${brief.text}) on conflict (build_id) do nothing
        )
        update builds set started_at = ${now}, heard_at = ${now}, progress_at = ${now}, stall_minutes = ${stallMinutes}, brief_digest = ${brief.digest},
          settings = ${settings && JSON.stringify(settings)}::jsonb, wall_minutes = ${wallMinutes}, guest_words = ${brief.guestWords}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async requestCancel(buildId: string, now: Date): Promise<void> {
      await sql`
        update builds set cancel_requested_at = ${now}
        where brand_id = ${brandId} and build_id = ${buildId} and cancel_requested_at is null`.execute(db);
    },

    async waitForAnswer(buildId: string, now: Date): Promise<void> {
      await sql`
        update builds set waiting_since = ${now}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    /** The clocks go on from here. */
    async resume(buildId: string, now: Date): Promise<void> {
      await sql`
        update builds set waited_seconds = waited_seconds + extract(epoch from ${now}::timestamptz - waiting_since),
          waiting_since = null, heard_at = ${now}, progress_at = ${now}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async wantReview(buildId: string, now: Date): Promise<void> {
      await sql`
        update builds set review_wanted_at = ${now}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async end(
      buildId: string,
      ending: Shown & { outcome: Outcome; lostAt: Date | undefined },
    ): Promise<void> {
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

    /** Reopens a lost build. */
    async beginChecking(
      buildId: string,
      { reason, result, usage, finishDigest }: Shown,
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

    /** `newer`: whether a later attempt exists. */
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

/** Builds that the clock has ended, in all workspaces. */
export function dueBuildStore(db: Db | Tx) {
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

interface StalledBuild {
  brand_id: number;
  build_id: string;
  task_id: string;
  created_by: number | null;
  stall_minutes: number;
}

export const stallStore = (db: Db | Tx) => ({
  /** Marks the builds, so that each is announced once. */
  async takeStalled(now: Date, limit: number): Promise<StalledBuild[]> {
    const { rows } = await sql<StalledBuild>`
      update builds u set stall_told_at = ${now}
      from (
        select b.build_id from builds b
        where b.finished_at is null and b.stall_told_at is null and b.stall_minutes > 0 and not b.local
          and b.progress_at <= ${now}::timestamptz - make_interval(mins => b.stall_minutes) and ${statusAt(now)} = 'running'
        order by b.progress_at limit ${limit} for no key update of b skip locked
      ) stalled
      where u.build_id = stalled.build_id
      returning u.brand_id, u.build_id, u.task_id, u.created_by, u.stall_minutes`.execute(db);
    return rows;
  },

  /** Writes at most once in five seconds. */
  async noteProgress(buildId: string, now: Date): Promise<void> {
    await sql`
      update builds b set progress_at = ${now}
      where b.build_id = ${buildId} and b.progress_at < ${now}::timestamptz - interval '5 seconds' and ${statusAt(now)} = 'running'`.execute(
      db,
    );
  },
});
