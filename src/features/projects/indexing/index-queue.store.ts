import { sql } from 'kysely';
import { newId } from '../../../kernel/ids.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { IndexRow, ProjectRow } from '../repository/projects.store.js';

export interface DueProject {
  project_id: string;
  brand_id: number;
}

/** The passes that are wanted, under way and done, over all workspaces: the background works for all of them. */
export function indexQueue(db: Db | Tx) {
  return {
    /** A pass that waits already answers the wish too. */
    async enqueue(projectId: string, now: Date): Promise<Pick<IndexRow, 'index_id' | 'status'>> {
      const made = await sql<Pick<IndexRow, 'index_id' | 'status'>>`
        insert into code_indexes (index_id, project_id, status, queued_at) values (${newId()}, ${projectId}, 'queued', ${now})
        on conflict (project_id) where status = 'queued' do nothing returning index_id, status`.execute(db);
      if (made.rows[0]) return made.rows[0];
      const waiting = await sql<Pick<IndexRow, 'index_id' | 'status'>>`
        select index_id, status from code_indexes where project_id = ${projectId} and status = 'queued'`.execute(
        db,
      );
      return waiting.rows[0] ?? this.enqueue(projectId, now);
    },

    /** Projects with a pass that waits or, unless only those are asked for, was left behind; each workspace's first one first. */
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

    /** Every project with a repository, whoever waited longest first, and each workspace's first one before all second ones. */
    async listAll(): Promise<DueProject[]> {
      const { rows } = await sql<DueProject>`
        select project_id, brand_id from (
          select p.project_id, p.brand_id, p.looked_at, row_number() over own as place
          from projects p where p.repository_url is not null
          window own as (partition by p.brand_id order by p.looked_at nulls first, p.project_id)
        ) due order by place, looked_at nulls first, project_id limit 1000`.execute(db);
      return rows;
    },

    /**
     * Claims the pass that waits, or else one whose process died: whoever holds the project's lock knows that nobody else is at it.
     * Undefined when there is neither.
     */
    async claim(projectId: string, now: Date): Promise<string | undefined> {
      const { rows } = await sql<{ index_id: string; status: string }>`
        select index_id, status from code_indexes where project_id = ${projectId} and status in ('queued', 'running')
        order by (status = 'queued') desc, queued_at desc, index_id desc for update`.execute(db);
      const [claimed, ...abandoned] = rows.map((row) => row.index_id);
      if (claimed === undefined) return undefined;
      await sql`
        update code_indexes set status = 'failed', error = 'The pass was interrupted', finished_at = ${now}, progress = null
        where index_id = any(${abandoned}::uuid[])`.execute(db);
      await sql`update code_indexes set status = 'running', started_at = ${now}, progress = null where index_id = ${claimed}`.execute(
        db,
      );
      // Somebody asks: whatever happened before, it is tried again.
      if (rows[0]!.status === 'queued')
        await sql`update projects set tries = 0 where project_id = ${projectId}`.execute(db);
      return claimed;
    },

    /** A pass over this commit begins; answers how many have begun by now without one that came to an end. */
    async beginTry(projectId: string, commit: string | null, extractor: number): Promise<number> {
      const { rows } = await sql<{ tries: number }>`
        update projects set tried_commit = ${commit}::text, tried_extractor = ${extractor}::int, tries = case
          when tried_commit is not distinct from ${commit}::text and tried_extractor = ${extractor}::int then tries + 1 else 1 end
        where project_id = ${projectId} returning tries`.execute(db);
      return rows[0]?.tries ?? 1;
    },

    /** It ended, in whatever way: nothing speaks against another. */
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
      await sql`update code_indexes set progress = ${JSON.stringify(progress)}::jsonb where index_id = ${indexId}`.execute(
        db,
      );
    },

    async fail(indexId: string, error: string, now: Date): Promise<void> {
      await sql`
        update code_indexes set status = 'failed', error = ${error}, finished_at = ${now}, progress = null
        where index_id = ${indexId}`.execute(db);
    },

    async noteRefresh(projectId: string, now: Date): Promise<void> {
      await sql`update projects set looked_at = ${now} where project_id = ${projectId}`.execute(db);
    },

    /** The pass found nothing new: what is in force stays, under the new name. */
    async confirm(project: ProjectRow, indexId: string, now: Date): Promise<void> {
      await sql`
        update code_indexes i set status = 'ready', finished_at = ${now}, progress = null, commit_id = r.commit_id, files = r.files,
          nodes = r.nodes, edges = r.edges, lessons = r.lessons, warnings = r.warnings, truncated = r.truncated
        from code_indexes r where i.index_id = ${indexId} and r.index_id = ${project.ready_index_id}`.execute(
        db,
      );
      await sql`update projects set ready_index_id = ${indexId} where project_id = ${project.project_id}`.execute(
        db,
      );
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

    /** Old passes tell nothing any more. */
    async prune(projectId: string): Promise<void> {
      await sql`
        delete from code_indexes where index_id in (
          select i.index_id from code_indexes i join projects p using (project_id)
          where i.project_id = ${projectId} and i.status in ('ready', 'failed') and i.index_id is distinct from p.ready_index_id
          order by i.queued_at desc, i.index_id desc offset 20)`.execute(db);
    },
  };
}
