import { sql } from 'kysely';
import { anywhere } from '../../../kernel/like-pattern.js';
import type { Db, Nullable, Tx } from '../../../platform/database/database.js';
import { firstWithWords } from '../../../platform/database/schema/words.js';
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

/** A lesson of whichever project, as a search for words finds it. */
export interface WordedLesson {
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
  /** A beginning of the path. */
  prefix: string | null;
  type: string | null;
  stale: boolean | null;
}

const entryColumns = sql`l.lesson_no, l.lesson_id as id, l.path, l.type, l.body, l.pinned, l.stale_commit is not null as stale,
  'code removed in ' || l.stale_commit as stale_reason`;

const hasWords = (words: readonly string[]) => sql`
  and lower(l.title || ' ' || l.body || ' ' || l.lesson_id || ' ' || l.type) like all(${words.map(anywhere)}::text[])`;

/** Changes with every change of the project's code or lessons; null where the workspace has no such project. */
const versionOf = (brandId: number, projectId: string | null) => sql`(
  select index_version || ' ' || lessons_version from projects
  where project_id = ${projectId}::uuid and brand_id = ${brandId})`;

/** Where lessons are looked for, and what of it would be code. */
interface SoughtPlaces {
  paths: readonly string[];
  ranges: readonly { from: string; before: string }[];
  places: readonly string[];
}

/** Reads of one workspace's lessons. Retired and superseded ones are never among them. */
export function lessonStore(db: Db | Tx, brandId: number) {
  const filtered = (filter: LessonFilter) => sql`l.brand_id = ${brandId} and l.status = 'live'
    and (${filter.projectId}::uuid is null or l.project_id = ${filter.projectId}::uuid)
    and (${filter.type}::text is null or l.type = ${filter.type}::text)
    and (${filter.scope}::text is null or l.scope = ${filter.scope}::text)
    ${filter.words.length > 0 ? hasWords(filter.words) : sql``}`;

  return {
    async readVersion(projectId: string): Promise<string | null> {
      const { rows } = await sql<{ version: string | null }>`
        select ${versionOf(brandId, projectId)} as version`.execute(db);
      return rows[0]!.version;
    },

    /** Lessons with an anchor at one of the paths, or below one of the ranges; and whether the project has live code at one of the places. */
    async listMatches(
      filter: LessonFilter,
      { paths, ranges, places }: SoughtPlaces,
      staleOnly: boolean,
    ): Promise<{ matches: AnchorMatch[]; hasLiveCode: boolean; version: string | null }> {
      // As an array: how many lie in a range is guessed far too high, and all anchors of the workspace would be read beside them.
      const { rows } = await sql<Nullable<AnchorMatch> & { live: boolean; version: string | null }>`
        select code.live, code.version, found.* from (
          select exists (
            select from code_nodes where project_id = ${filter.projectId}::uuid and live and path = any(${places}::text[])) as live,
            ${versionOf(brandId, filter.projectId)} as version
        ) code left join (
          select l.lesson_no, l.lesson_id, l.pinned, a.path from lesson_anchors a join lessons l on l.lesson_no = a.lesson_no
          where a.brand_id = ${brandId} and a.lesson_no = any(array(
              select lesson_no from lesson_anchors where brand_id = ${brandId} and path = any(${paths}::text[])
              union all
              select b.lesson_no from unnest(${ranges.map(({ from }) => from)}::text[], ${ranges.map(({ before }) => before)}::text[]) as r (low, high)
                join lesson_anchors b on b.brand_id = ${brandId} and b.path >= r.low collate "C" and b.path < r.high collate "C"))
            and (not ${staleOnly}::boolean or l.stale_commit is not null) and ${filtered(filter)}
        ) found on true`.execute(db);
      return {
        matches: rows.filter(
          (row): row is AnchorMatch & Pick<(typeof rows)[0], 'live' | 'version'> => row.lesson_no !== null,
        ),
        hasLiveCode: rows[0]!.live,
        version: rows[0]!.version,
      };
    },

    /** Pinned ones first, and how many there are in all. */
    async listStale(
      filter: LessonFilter,
      limit: number,
    ): Promise<{ numbers: number[]; total: number; version: string | null }> {
      const { rows } = await sql<{ lesson_no: number; total: number; version: string | null }>`
        select l.lesson_no, count(*) over () as total, ${versionOf(brandId, filter.projectId)} as version from lessons l
        where l.stale_commit is not null and ${filtered(filter)}
        order by l.pinned desc, l.lesson_id, l.lesson_no limit ${limit}`.execute(db);
      const { total, version } = rows[0] ?? { total: 0, version: null };
      return { numbers: rows.map(({ lesson_no }) => lesson_no), total, version };
    },

    /** Those of all projects that have the words; in the title first, then last changed first. */
    async findByWords(text: string, limit: number): Promise<WordedLesson[]> {
      const found = firstWithWords(
        { brandId, text },
        {
          from: sql`lessons`,
          id: sql`lesson_no`,
          // Word for word as the index has it.
          words: sql`search_words(brand_id, title, body)`,
          index: 'lessons_by_word',
          changedAt: sql`updated_at`,
          where: sql`brand_id = ${brandId} and status = 'live'`,
        },
        limit,
      );
      const { rows } = await sql<WordedLesson>`
        select l.lesson_id, l.project_id, p.name as project, l.path, l.title, l.body
        from (${found}) first
        join lessons l on l.lesson_no = first.id and l.brand_id = ${brandId}
        join projects p on p.project_id = l.project_id
        order by first.in_title desc, first.changed_at desc, first.id`.execute(db);
      return rows;
    },

    /** One page of a project's lessons by id, and how many there are in all. */
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

    /** Every bound anchor of a project with the node it stands on. */
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

    /** Live lessons of a project with all their anchors, for looking ahead. */
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
