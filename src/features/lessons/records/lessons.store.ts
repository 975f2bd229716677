import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { anywhere, firstWithWords } from '../../../platform/database/schema/sql-fragments.js';
import type { AnchorKind } from '../files/anchors.js';
import type { EntryView, FullLesson } from '../lessons.schemas.js';

export interface AnchorMatch {
  lesson_no: number;
  lesson_id: string;
  pinned: boolean;
  path: string;
}

export interface AnchoredLesson {
  lesson_no: number;
  lesson_id: string;
  pinned: boolean;
  created_at: Date;
  node_no: number;
  path: string;
  kind: AnchorKind;
  live: boolean;
  stale: boolean;
}

export interface LessonWithWords {
  lesson_id: string;
  project_id: string;
  project: string;
  path: string;
  title: string;
  body: string;
}

export interface LessonFilter {
  projectId: string | null;
  type: string | null;
  scope: string | null;
  words: string[];
}

export interface ListFilter {
  projectId: string;
  prefix: string | null;
  type: string | null;
  stale: boolean | null;
}

const entryColumns = sql`l.lesson_no, l.lesson_id as id, l.path, l.type, l.body, l.pinned, l.stale_commit is not null as stale,
  'code removed in ' || l.stale_commit as stale_reason`;

const hasWords = (words: readonly string[]) => sql`
  and lower(l.title || ' ' || l.body || ' ' || l.lesson_id || ' ' || l.type) like all(${words.map(anywhere)}::text[])`;

export function lessonStore(db: Db | Tx, brandId: number) {
  const filtered = (filter: LessonFilter) => sql`l.brand_id = ${brandId} and l.status = 'live'
    and (${filter.projectId}::uuid is null or l.project_id = ${filter.projectId}::uuid)
    and (${filter.type}::text is null or l.type = ${filter.type}::text)
    and (${filter.scope}::text is null or l.scope = ${filter.scope}::text)
    ${filter.words.length > 0 ? hasWords(filter.words) : sql``}`;

  return {
    /** Lessons with an anchor at one of the paths or in one of the ranges. */
    async listMatches(
      filter: LessonFilter,
      { paths, ranges }: { paths: readonly string[]; ranges: readonly { from: string; before: string }[] },
      staleOnly: boolean,
    ): Promise<AnchorMatch[]> {
      // As an array: the planner overestimates the ranges and would read all anchors of the workspace.
      const { rows } = await sql<AnchorMatch>`
        select l.lesson_no, l.lesson_id, l.pinned, a.path from lesson_anchors a join lessons l on l.lesson_no = a.lesson_no
        where a.brand_id = ${brandId} and a.lesson_no = any(array(
            select lesson_no from lesson_anchors where brand_id = ${brandId} and path = any(${paths}::text[])
            union all
            select b.lesson_no from unnest(${ranges.map(({ from }) => from)}::text[], ${ranges.map(({ before }) => before)}::text[]) as r (low, high)
              join lesson_anchors b on b.brand_id = ${brandId} and b.path >= r.low collate "C" and b.path < r.high collate "C"))
          and (not ${staleOnly}::boolean or l.stale_commit is not null) and ${filtered(filter)}`.execute(db);
      return rows;
    },

    async hasLiveCode(projectId: string, paths: readonly string[]): Promise<boolean> {
      const { rows } = await sql`
        select from code_nodes where project_id = ${projectId} and live and path = any(${paths}::text[]) limit 1`.execute(
        db,
      );
      return rows.length > 0;
    },

    /** Pinned lessons first, with the number of all stale lessons. */
    async listStale(filter: LessonFilter, limit: number): Promise<{ numbers: number[]; total: number }> {
      const { rows } = await sql<{ lesson_no: number; total: number }>`
        select l.lesson_no, count(*) over () as total from lessons l
        where l.stale_commit is not null and ${filtered(filter)}
        order by l.pinned desc, l.lesson_id, l.lesson_no limit ${limit}`.execute(db);
      return { numbers: rows.map(({ lesson_no }) => lesson_no), total: rows[0]?.total ?? 0 };
    },

    /**
     * Lessons of all projects that contain the words: matches in the title first, then last changed first.
     */
    async findByWords(text: string, limit: number): Promise<LessonWithWords[]> {
      const found = firstWithWords(
        { brandId, text },
        {
          from: sql`lessons`,
          id: sql`lesson_no`,
          // The same expression as in the index.
          words: sql`search_words(brand_id, title, body)`,
          changedAt: sql`updated_at`,
          where: sql`brand_id = ${brandId} and status = 'live'`,
        },
        limit,
      );
      const { rows } = await sql<LessonWithWords>`
        select l.lesson_id, l.project_id, p.name as project, l.path, l.title, l.body
        from (${found}) first
        join lessons l on l.lesson_no = first.id and l.brand_id = ${brandId}
        join projects p on p.project_id = l.project_id
        order by first.in_title desc, first.changed_at desc, first.id`.execute(db);
      return rows;
    },

    async listPage(
      { projectId, prefix, type, stale }: ListFilter,
      after: string | null,
      limit: number,
    ): Promise<{ page: { lesson_no: number; lesson_id: string }[]; total: number }> {
      const wanted = sql`brand_id = ${brandId} and project_id = ${projectId} and status = 'live'
        and (${prefix}::text is null or starts_with(path, ${prefix}::text))
        and (${type}::text is null or type = ${type}::text)
        and (${stale}::boolean is null or (stale_commit is not null) = ${stale}::boolean)`;
      const page = await sql<{ lesson_no: number; lesson_id: string }>`
        select lesson_no, lesson_id from lessons where ${wanted} and (${after}::text is null or lesson_id > ${after}::text)
        order by lesson_id limit ${limit}`.execute(db);
      const count = await sql<{ total: number }>`
        select count(*)::int as total from lessons where ${wanted}`.execute(db);
      return { page: page.rows, total: count.rows[0]!.total };
    },

    async readFull(numbers: readonly number[]): Promise<Map<number, FullLesson>> {
      type Row = Omit<FullLesson, 'created_at' | 'updated_at'> & {
        lesson_no: number;
        created_at: Date;
        updated_at: Date;
      };
      const { rows } = await sql<Row>`
        select ${entryColumns}, l.title, l.author, l.card, l.scope, l.status, l.superseded_by, l.project_id, l.created_at, l.updated_at,
          coalesce((select json_agg(a.path order by a.position) from lesson_anchors a where a.lesson_no = l.lesson_no), '[]') as anchors,
          coalesce((select json_agg(json_build_object('from', m.from_path, 'to', m.to_path, 'commit', m.commit_id) order by m.position)
            from lesson_moves m where m.lesson_no = l.lesson_no), '[]') as moves
        from lessons l where l.brand_id = ${brandId} and l.lesson_no = any(${numbers}::bigint[])`.execute(db);
      return new Map(
        rows.map(({ lesson_no, created_at, updated_at, ...lesson }) => [
          lesson_no,
          { ...lesson, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() },
        ]),
      );
    },

    async readEntries(numbers: readonly number[]): Promise<Map<number, EntryView>> {
      const { rows } = await sql<EntryView & { lesson_no: number }>`
        select ${entryColumns} from lessons l
        where l.brand_id = ${brandId} and l.lesson_no = any(${numbers}::bigint[])`.execute(db);
      return new Map(rows.map(({ lesson_no, ...entry }) => [lesson_no, entry]));
    },

    /** Every resolved anchor of a project with its code node. */
    async listAnchored(projectId: string): Promise<AnchoredLesson[]> {
      const { rows } = await sql<AnchoredLesson>`
        select l.lesson_no, l.lesson_id, l.pinned, l.created_at, a.node_no, n.path, n.kind, n.live,
          l.stale_commit is not null as stale
        from lesson_anchors a
        join lessons l on l.lesson_no = a.lesson_no
        join code_nodes n on n.project_id = a.project_id and n.node_no = a.node_no
        where a.project_id = ${projectId} and l.brand_id = ${brandId} and l.status = 'live'`.execute(db);
      return rows;
    },

    async findNodes(projectId: string, nodeIds: readonly string[]) {
      const { rows } = await sql<{ node_id: string; node_no: number; path: string; live: boolean }>`
        select node_id, node_no, path, live from code_nodes
        where node_id = any(${nodeIds}::uuid[]) and project_id = ${projectId}`.execute(db);
      return rows;
    },

    async listHeldFiles(projectId: string, paths: readonly string[]): Promise<Set<string>> {
      const { rows } = await sql<{ path: string }>`
        select path from code_nodes where project_id = ${projectId} and live and kind = 'file' and path = any(${paths}::text[])`.execute(
        db,
      );
      return new Set(rows.map((row) => row.path));
    },

    async listWithAnchors(projectId: string) {
      const { rows } = await sql<{
        id: string;
        path: string;
        type: string;
        pinned: boolean;
        anchors: { path: string; kind: AnchorKind; bound: boolean; live: boolean }[];
      }>`
        select l.lesson_id as id, l.path, l.type, l.pinned, json_agg(json_build_object('path', a.path, 'kind', a.kind,
          'bound', a.node_no is not null, 'live', coalesce(n.live, false)) order by a.position) as anchors
        from lessons l join lesson_anchors a on a.lesson_no = l.lesson_no
        left join code_nodes n on n.project_id = a.project_id and n.node_no = a.node_no
        where l.brand_id = ${brandId} and l.project_id = ${projectId} and l.status = 'live'
        group by l.lesson_no order by l.lesson_id`.execute(db);
      return rows;
    },
  };
}
