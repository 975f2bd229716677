import { sql } from 'kysely';
import type { ActorIds } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { type BuildRow, isOpenAt } from '../record/builds.store.js';
import type { DeskAsking } from './waiting.js';

export type NewBuildRow = { creator: ActorIds } & Pick<
  BuildRow,
  | 'build_id'
  | 'task_id'
  | 'ref'
  | 'project_id'
  | 'attempt'
  | 'coder'
  | 'profile'
  | 'wanted_workstation_id'
  | 'local'
  | 'branch'
  | 'base_branch'
  | 'base_sha'
  | 'origin_sha'
  | 'continues'
  | 'note'
  | 'queued_at'
>;

const DAY_SECONDS = 24 * 60 * 60;

export function queueStore(db: Db | Tx, brandId: number) {
  return {
    async insert(build: NewBuildRow): Promise<void> {
      await sql`
        insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, profile,
          wanted_workstation_id, local, branch, base_branch, base_sha, origin_sha, continues, note, created_by, created_by_agent,
          queued_at)
        values (${build.build_id}, ${brandId}, ${build.task_id}, ${build.ref}, ${build.project_id}, ${build.attempt}, ${build.coder},
          ${build.profile}, ${build.wanted_workstation_id}, ${build.local},
          ${build.branch}, ${build.base_branch}, ${build.base_sha}, ${build.origin_sha}, ${build.continues}, ${build.note},
          ${build.creator.userId}, ${build.creator.agentId}, ${build.queued_at})`.execute(db);
    },

    async nextAttempt(taskId: string): Promise<number> {
      const { rows } = await sql<{ attempt: number }>`
        select coalesce(max(attempt), 0) + 1 as attempt from builds where task_id = ${taskId}`.execute(db);
      return rows[0]!.attempt;
    },

    /** `day_ends_in`: seconds until another build may start, or null if one may start now. */
    async count(now: Date, perDay: number): Promise<{ open: number; day_ends_in: number | null }> {
      const { rows } = await sql<{ open: number; day_ends_in: number | null }>`
        select
          (select count(*)::int from builds b where b.brand_id = ${brandId} and b.finished_at is null and b.kind = 'build'
             and ${isOpenAt(now)}) as open,
          (select extract(epoch from queued_at - ${now}::timestamptz)::float8 + ${DAY_SECONDS}
           from builds where brand_id = ${brandId} and kind = 'build' and queued_at > ${now}::timestamptz - make_interval(secs => ${DAY_SECONDS})
           order by queued_at desc, build_id desc offset ${perDay - 1} limit 1) as day_ends_in`.execute(db);
      return rows[0]!;
    },

    async listAskings(): Promise<DeskAsking[]> {
      const { rows } = await sql<DeskAsking>`
        select desk_id, asked_at, free_slots, coders, missing, held_until, refusals from build_desks where brand_id = ${brandId}`.execute(
        db,
      );
      return rows;
    },
  };
}
