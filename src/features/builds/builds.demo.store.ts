import { sql } from 'kysely';
import type { Db } from '../../database/database.js';

/** A build of the past, as the story of the demo world has it. */
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
});
