import { sql } from 'kysely';
import { newId } from '../../../kernel/ids.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { IndexRow, ProjectRow } from '../repository/projects.store.js';

export interface DueProject {
  project_id: string;
  brand_id: number;
}

export function indexQueue(db: Db | Tx) {
  return {
    async enqueue(projectId: string, now: Date): Promise<Pick<IndexRow, 'index_id' | 'status'>> {
      const made = await sql<Pick<IndexRow, 'index_id' | 'status'>>`
        insert into code_indexes (index_id, project_id, status, queued_at) values (${newId()}, ${projectId}, 'queued', ${now})
        on conflict (project_id) where status = 'queued' do nothing returning index_id, status`.execute(db);
      if (made.rows[0]) return made.rows[0];
      const waiting = await sql<Pick<IndexRow, 'index_id' | 'status'>>`
        select index_id, status from code_indexes
        where project_id = ${projectId} and status = 'queued'`.execute(db);
      return waiting.rows[0] ?? this.enqueue(projectId, now);
    },

    /** The first project of each workspace comes before any second one. */
    async listOpen(statuses: readonly ('queued' | 'running')[]): Promise<DueProject[]> {
      const { rows } = await sql<DueProject>`
        select project_id, brand_id from (
          select p.project_id, p.brand_id, p.looked_at, row_number() over own as place
          from projects p
          where p.repository_url is not null and p.project_id in (
            select i.project_id from code_indexes i where i.status in ('queued', 'running') and i.status = any(${statuses}::text[]))
          window own as (partition by p.brand_id order by p.looked_at nulls first, p.project_id)
        ) due order by place, looked_at nulls first, project_id limit 1000`.execute(db);
      return rows;
    },

    /** Longest unchecked first; the first project of each workspace comes before any second one. */
    async listAll(): Promise<DueProject[]> {
      const { rows } = await sql<DueProject>`
        select project_id, brand_id from (
          select p.project_id, p.brand_id, p.looked_at, row_number() over own as place
          from projects p where p.repository_url is not null
          window own as (partition by p.brand_id order by p.looked_at nulls first, p.project_id)
        ) due order by place, looked_at nulls first, project_id limit 1000`.execute(db);
      return rows;
    },

    /** The caller holds the project's lock, so a running one belongs to a process that died. */
    async claim(projectId: string, now: Date): Promise<string | undefined> {
      const { rows } = await sql<{ index_id: string; status: string }>`
        select index_id, status from code_indexes where project_id = ${projectId} and status in ('queued', 'running')
        order by (status = 'queued') desc, queued_at desc, index_id desc for update`.execute(db);
      const [claimed, ...abandoned] = rows.map((row) => row.index_id);
      if (claimed === undefined) return undefined;
      await sql`
        update code_indexes set status = 'failed', error = 'The index run was interrupted', finished_at = ${now}, progress = null
        where index_id = any(${abandoned}::uuid[])`.execute(db);
      await sql`update code_indexes set status = 'running', started_at = ${now}, progress = null
        where index_id = ${claimed}`.execute(db);
      // A request resets the number of failed attempts.
      if (rows[0]!.status === 'queued')
        await sql`update projects set tries = 0 where project_id = ${projectId}`.execute(db);
      return claimed;
    },

    /** Counts the runs over this commit that did not finish, including this one. */
    async beginTry(projectId: string, commit: string | null, extractor: number): Promise<number> {
      const { rows } = await sql<{ tries: number }>`
        update projects set tried_commit = ${commit}::text, tried_extractor = ${extractor}::int, tries = case
          when tried_commit is not distinct from ${commit}::text and tried_extractor = ${extractor}::int then tries + 1 else 1 end
        where project_id = ${projectId} returning tries`.execute(db);
      return rows[0]?.tries ?? 1;
    },

    async endTries(projectId: string): Promise<void> {
      await sql`update projects set tries = 0 where project_id = ${projectId}`.execute(db);
    },

    async start(projectId: string, now: Date): Promise<string> {
      const id = newId();
      await sql`
        insert into code_indexes (index_id, project_id, status, queued_at, started_at)
        values (${id}, ${projectId}, 'running', ${now}, ${now})`.execute(db);
      return id;
    },

    async noteProgress(
      indexId: string,
      progress: { phase: string; done: number; total: number },
    ): Promise<void> {
      await sql`update code_indexes set progress = ${JSON.stringify(progress)}::jsonb
        where index_id = ${indexId}`.execute(db);
    },

    async fail(indexId: string, error: string, now: Date): Promise<void> {
      await sql`
        update code_indexes set status = 'failed', error = ${error}, finished_at = ${now}, progress = null
        where index_id = ${indexId}`.execute(db);
    },

    async noteRefresh(projectId: string, now: Date): Promise<void> {
      await sql`update projects set looked_at = ${now} where project_id = ${projectId}`.execute(db);
    },

    async confirm(project: ProjectRow, indexId: string, now: Date): Promise<void> {
      await sql`
        update code_indexes i set status = 'ready', finished_at = ${now}, progress = null, commit_id = r.commit_id, files = r.files,
          nodes = r.nodes, edges = r.edges, lessons = r.lessons, warnings = r.warnings, truncated = r.truncated
        from code_indexes r
        where i.index_id = ${indexId} and r.index_id = ${project.ready_index_id}`.execute(db);
      await sql`update projects set ready_index_id = ${indexId}
        where project_id = ${project.project_id}`.execute(db);
    },

    async complete(
      projectId: string,
      indexId: string,
      result: {
        commit: string | null;
        files: number;
        nodes: number;
        edges: number;
        lessons: number;
        warnings: string[];
        truncated: boolean;
      },
      project: { stepCount: number; extractor: number },
      now: Date,
    ): Promise<number> {
      await sql`
        update code_indexes set status = 'ready', finished_at = ${now}, progress = null, error = null, commit_id = ${result.commit},
          files = ${result.files}, nodes = ${result.nodes}, edges = ${result.edges}, lessons = ${result.lessons},
          warnings = ${JSON.stringify(result.warnings)}::jsonb, truncated = ${result.truncated}
        where index_id = ${indexId}`.execute(db);
      const { rows } = await sql<{ index_version: number }>`
        update projects set tries = 0, ready_index_id = ${indexId}, ready_commit = ${result.commit}, ready_extractor = ${project.extractor},
          step_count = ${project.stepCount}, index_version = index_version + 1, looked_at = ${now}
        where project_id = ${projectId} returning index_version`.execute(db);
      return rows[0]!.index_version;
    },

    async prune(projectId: string): Promise<void> {
      await sql`
        delete from code_indexes where index_id in (
          select i.index_id from code_indexes i join projects p using (project_id)
          where i.project_id = ${projectId} and i.status in ('ready', 'failed') and i.index_id is distinct from p.ready_index_id
          order by i.queued_at desc, i.index_id desc offset 20)`.execute(db);
    },
  };
}
