import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { mayHaveWords } from '../../../platform/database/schema/sql-fragments.js';
import type { NodeQuery, NodeView, ProjectChecks } from '../projects.schemas.js';

export interface ProjectRow {
  project_id: string;
  brand_id: number;
  name: string;
  repository_url: string | null;
  repository_branch: string | null;
  created_at: Date;
  updated_at: Date;
  ready_index_id: string | null;
  ready_commit: string | null;
  ready_extractor: number | null;
  index_version: number;
  lessons_version: number;
  step_count: number;
  /** The last attempted commit, and how many runs over it did not finish. */
  tried_commit: string | null;
  tried_extractor: number | null;
  tries: number;
}

export interface IndexRow {
  index_id: string;
  status: 'queued' | 'running' | 'ready' | 'failed';
  commit_id: string | null;
  files: number;
  nodes: number;
  edges: number;
  lessons: number;
  warnings: string[];
  truncated: boolean;
  progress: { phase: string; done: number; total: number } | null;
  error: string | null;
  started_at: Date | null;
  finished_at: Date | null;
}

const projectColumns = sql`project_id, brand_id, name, repository_url, repository_branch, created_at, updated_at, ready_index_id,
  ready_commit, ready_extractor, index_version, lessons_version, step_count, tried_commit, tried_extractor, tries`;

export type ProjectName = Pick<ProjectRow, 'project_id' | 'name' | 'repository_url'>;

export function projectStore(db: Db | Tx, brandId: number) {
  return {
    /** Serializes creation in a workspace, so that the plan's limit holds. */
    async countLocked(): Promise<number> {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`projects:${brandId}`}, 0))`.execute(db);
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from projects where brand_id = ${brandId}`.execute(db);
      return rows[0]!.count;
    },

    async create(project: {
      id: string;
      name: string;
      url: string | null;
      branch: string | null;
      now: Date;
    }): Promise<void> {
      await sql`
        insert into projects (project_id, brand_id, name, repository_url, repository_branch, created_at, updated_at)
        values (${project.id}, ${brandId}, ${project.name}, ${project.url}, ${project.branch}, ${project.now}, ${project.now})`.execute(
        db,
      );
    },

    async list(): Promise<ProjectRow[]> {
      const { rows } = await sql<ProjectRow>`
        select ${projectColumns} from projects where brand_id = ${brandId}
        order by name, project_id limit 1000`.execute(db);
      return rows;
    },

    /** May return projects without the words; the caller filters. */
    async listNames(words: readonly string[]): Promise<ProjectName[]> {
      const { rows } = await sql<ProjectName>`
        select project_id, name, repository_url from projects
        where brand_id = ${brandId} and ${mayHaveWords(sql`projects`, words)}
        order by name, project_id limit 1000`.execute(db);
      return rows;
    },

    async find(projectId: string): Promise<ProjectRow | undefined> {
      const { rows } = await sql<ProjectRow>`
        select ${projectColumns} from projects
        where brand_id = ${brandId} and project_id = ${projectId}`.execute(db);
      return rows[0];
    },

    async lock(projectId: string): Promise<ProjectRow | undefined> {
      const { rows } = await sql<ProjectRow>`
        select ${projectColumns} from projects
        where brand_id = ${brandId} and project_id = ${projectId} for update`.execute(db);
      return rows[0];
    },

    async rename(projectId: string, name: string, now: Date): Promise<void> {
      await sql`
        update projects set name = ${name}, updated_at = ${now}
        where brand_id = ${brandId} and project_id = ${projectId}`.execute(db);
    },

    async attach(
      projectId: string,
      repository: { url: string | null; branch: string | null },
      now: Date,
    ): Promise<void> {
      await sql`
        update projects set repository_url = ${repository.url}, repository_branch = ${repository.branch}, updated_at = ${now}
        where brand_id = ${brandId} and project_id = ${projectId}`.execute(db);
    },

    async noteLessonsChanged(projectId: string): Promise<void> {
      await sql`
        update projects set lessons_version = lessons_version + 1
        where brand_id = ${brandId} and project_id = ${projectId}`.execute(db);
    },

    async remove(projectId: string): Promise<void> {
      await sql`delete from projects where brand_id = ${brandId} and project_id = ${projectId}`.execute(db);
    },

    /** The newest run, with the numbers of the last successful one. */
    async findIndex(projectId: string): Promise<IndexRow | undefined> {
      const { rows } = await sql<IndexRow>`
        select i.index_id, i.status, i.progress, i.error, i.started_at, i.finished_at, r.commit_id,
          coalesce(r.files, 0) as files, coalesce(r.nodes, 0) as nodes, coalesce(r.edges, 0) as edges,
          coalesce(r.lessons, 0) as lessons, coalesce(r.warnings, '[]') as warnings, coalesce(r.truncated, false) as truncated
        from code_indexes i
        join projects p on p.project_id = i.project_id
        left join code_indexes r on r.index_id = p.ready_index_id
        where p.brand_id = ${brandId} and i.project_id = ${projectId}
        order by i.queued_at desc, i.index_id desc limit 1`.execute(db);
      return rows[0];
    },

    async listNodes(projectId: string, query: NodeQuery): Promise<{ items: NodeView[]; total: number }> {
      const { path = null, prefix = null, kind = null, limit = 100 } = query;
      const end = prefix === null ? null : `${prefix}\u{10FFFF}`;
      const where = sql`project_id = ${projectId} and live
        and (${path}::text is null or path = ${path}::text collate "C")
        and (${prefix}::text is null or (path >= ${prefix}::text collate "C" and path < ${end}::text collate "C"))
        and (${kind}::text is null or kind = ${kind}::text)`;
      const items = await sql<NodeView>`
        select node_id, kind, path, symbol, live from code_nodes where ${where}
        order by path, kind limit ${limit}`.execute(db);
      const total = await sql<{
        count: number;
      }>`select count(*)::int as count from code_nodes where ${where}`.execute(db);
      return { items: items.rows, total: total.rows[0]!.count };
    },
  };
}

export function checkStore(db: Db | Tx, brandId: number) {
  return {
    async find(projectId: string): Promise<ProjectChecks | undefined> {
      const { rows } = await sql<ProjectChecks>`
        select checks, setup, required from project_checks
        where brand_id = ${brandId} and project_id = ${projectId}`.execute(db);
      return rows[0];
    },

    async save(projectId: string, { checks, setup, required }: ProjectChecks, now: Date): Promise<void> {
      await sql`
        insert into project_checks (project_id, brand_id, checks, setup, required, updated_at)
        values (${projectId}, ${brandId}, ${JSON.stringify(checks)}::jsonb, ${setup && JSON.stringify(setup)}::jsonb,
          ${required}, ${now})
        on conflict (project_id) do update set checks = excluded.checks, setup = excluded.setup,
          required = excluded.required, updated_at = excluded.updated_at`.execute(db);
    },
  };
}
