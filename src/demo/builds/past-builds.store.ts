import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.js';

export interface PastBuild {
  buildId: string;
  taskId: string;
  ref: string;
  coder: string;
  branch: string;
  outcome: 'succeeded' | 'failed' | 'timed_out';
  reason: string | null;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  startedAt: Date;
  finishedAt: Date;
}

const WALL_MINUTES = 60;

export const pastBuildStore = (db: Db, brandId: number) => ({
  async insertPast(builds: PastBuild[], projectId: string, createdBy: number): Promise<void> {
    const column = <K extends keyof PastBuild>(name: K) => builds.map((build) => build[name]);
    await sql`
      insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, wall_minutes, branch, base_branch,
        base_sha, created_by, queued_at, claimed_at, started_at, heard_at, finished_at, outcome, reason, tokens_in,
        tokens_out, cost_usd, accepted_at, accepted_by, pushed_at)
      select p.build_id, ${brandId}, p.task_id, p.ref, ${projectId}, 1, p.coder, ${sql.lit(WALL_MINUTES)}, p.branch, 'main',
        repeat('0', 40), ${createdBy}, p.started_at, p.started_at, p.started_at, p.finished_at, p.finished_at, p.outcome,
        p.reason, p.tokens_in, p.tokens_out, p.cost_usd, case when p.outcome = 'succeeded' then p.finished_at end,
        case when p.outcome = 'succeeded' then ${createdBy}::int end, case when p.outcome = 'succeeded' then p.finished_at end
      from unnest(${column('buildId')}::uuid[], ${column('taskId')}::uuid[], ${column('ref')}::text[],
        ${column('coder')}::text[], ${column('branch')}::text[], ${column('outcome')}::text[], ${column('reason')}::text[],
        ${column('tokensIn')}::bigint[], ${column('tokensOut')}::bigint[], ${column('costUsd')}::double precision[],
        ${column('startedAt')}::timestamptz[], ${column('finishedAt')}::timestamptz[])
        as p (build_id, task_id, ref, coder, branch, outcome, reason, tokens_in, tokens_out, cost_usd, started_at, finished_at)
      on conflict do nothing
    `.execute(db);
  },

  /**
   * Enters the costs in the ledger on the days on which the builds ended, and returns this month's total in
   * millionths of a dollar.
   */
  async bookPast(now: Date): Promise<number> {
    await sql`
      with booked as (
        insert into spend_entries (brand_id, build_id, at, day, project_id, task_id, agent_id, coder, profile, tokens_in, tokens_out, cost_micros)
        select b.brand_id, b.build_id, b.finished_at, to_char(b.finished_at at time zone 'UTC', 'YYYY-MM-DD'), b.project_id,
          b.task_id, (select k.assignee_agent_id from cards k where k.card_id = b.task_id), b.coder, b.profile,
          b.tokens_in, b.tokens_out, round(b.cost_usd::numeric * 1000000)::bigint
        from builds b
        where b.brand_id = ${brandId} and b.finished_at is not null and b.tokens_in is not null
          and not exists (select from spend_entries e where e.build_id = b.build_id)
        returning *
      )
      insert into spend_tallies as t (brand_id, scope, subject, period, builds, tokens_in, tokens_out, spent_micros)
      select e.brand_id, p.scope, p.subject, p.period, count(*), sum(e.tokens_in), sum(e.tokens_out), sum(e.cost_micros)
      from booked e
      cross join lateral (values
        ('workspace', '', e.day), ('workspace', '', left(e.day, 7)),
        ('project', e.project_id::text, e.day), ('project', e.project_id::text, left(e.day, 7)),
        ('agent', coalesce(e.agent_id, ''), e.day), ('agent', coalesce(e.agent_id, ''), left(e.day, 7)),
        ('card', e.task_id::text, e.day), ('card', e.task_id::text, ''),
        ('coder', e.coder, e.day), ('profile', coalesce(e.profile, ''), e.day)
      ) as p (scope, subject, period)
      group by 1, 2, 3, 4
      on conflict (brand_id, scope, subject, period) do update set builds = t.builds + excluded.builds,
        tokens_in = t.tokens_in + excluded.tokens_in, tokens_out = t.tokens_out + excluded.tokens_out,
        spent_micros = t.spent_micros + excluded.spent_micros
    `.execute(db);
    const month = now.toISOString().slice(0, 7);
    const { rows } = await sql<{ spent: number }>`
      select coalesce(sum(spent_micros), 0)::bigint as spent from spend_tallies
      where brand_id = ${brandId} and scope = 'workspace' and subject = '' and period = ${month}`.execute(db);
    return rows[0]!.spent;
  },
});
