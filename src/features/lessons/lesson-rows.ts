import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import type { Anchor } from './anchors.js';
import type { LessonDraft } from './lesson-files.js';

export type Origin = 'repository' | 'pushed';

export interface AnchorRecord extends Anchor {
  written: string;
  nodeNo: number | null;
}

/** A lesson as it is to be stored. */
export interface LessonWrite {
  /** null: not stored yet. */
  no: number | null;
  origin: Origin;
  draft: LessonDraft;
  anchors: AnchorRecord[];
}

export interface StoredLesson {
  no: number;
  id: string;
  path: string;
  origin: Origin;
  contentHash: string;
  anchors: AnchorRecord[];
}

/** Writes lessons and keeps what follows from them; always inside the transaction that changes them. */
export function lessonRows(db: Db | Tx, brandId: number, projectId: string) {
  return {
    async load(): Promise<StoredLesson[]> {
      const lessons = await sql<Omit<StoredLesson, 'anchors'>>`
        select lesson_no as no, lesson_id as id, path, origin, content_hash as "contentHash"
        from lessons where project_id = ${projectId} order by lesson_no`.execute(db);
      const anchors = await sql<AnchorRecord & { no: number }>`
        select lesson_no as no, written, path, kind, node_no as "nodeNo"
        from lesson_anchors where project_id = ${projectId} order by lesson_no, position`.execute(db);
      const byNumber = new Map<number, StoredLesson>(
        lessons.rows.map((lesson) => [lesson.no, { ...lesson, anchors: [] }]),
      );
      for (const { no, written, path, kind, nodeNo } of anchors.rows)
        byNumber.get(no)?.anchors.push({ written, path, kind, nodeNo });
      return [...byNumber.values()];
    },

    /** Inserts or replaces; answers the lessons' numbers in order. */
    async save(writes: readonly LessonWrite[], now: Date): Promise<number[]> {
      if (writes.length === 0) return [];
      const column = <T>(pick: (draft: LessonDraft, write: LessonWrite) => T) =>
        writes.map((write) => pick(write.draft, write));
      const moved = writes.filter((write) => write.no !== null);
      // A renamed lesson file keeps its record under its new name; by way of a third one, for names may be exchanged.
      for (const name of [sql`m.lesson_id || chr(1) || m.lesson_no`, sql`m.lesson_id`]) {
        await sql`
          update lessons l set lesson_id = ${name}, path = m.path
          from unnest(${moved.map((write) => write.no)}::bigint[], ${moved.map((write) => write.draft.id)}::text[],
            ${moved.map((write) => write.draft.path)}::text[]) as m (lesson_no, lesson_id, path)
          where l.lesson_no = m.lesson_no and l.project_id = ${projectId} and l.lesson_id <> m.lesson_id`.execute(
          db,
        );
      }
      const saved = await sql<{ lesson_no: number; lesson_id: string }>`
        insert into lessons as l (brand_id, project_id, lesson_id, path, origin, type, title, body, pinned, author, card, scope,
          status, superseded_by, content_hash, text_hashes, created_at, updated_at)
        select ${brandId}::int, ${projectId}::uuid, d.lesson_id, d.path, d.origin, d.type, d.title, d.body, d.pinned, d.author, d.card,
          d.scope, d.status, d.superseded_by, d.content_hash, string_to_array(d.text_hashes, ' '), ${now}::timestamptz, ${now}::timestamptz
        from unnest(${column((d) => d.id)}::text[], ${column((d) => d.path)}::text[], ${column((_, w) => w.origin)}::text[],
          ${column((d) => d.type)}::text[], ${column((d) => d.title)}::text[], ${column((d) => d.body)}::text[],
          ${column((d) => d.pinned)}::boolean[], ${column((d) => d.author)}::text[], ${column((d) => d.card)}::text[],
          ${column((d) => d.scope)}::text[], ${column((d) => d.status)}::text[], ${column((d) => d.supersededBy)}::text[],
          ${column((d) => d.contentHash)}::text[], ${column((d) => d.texts.map(({ hash }) => hash).join(' '))}::text[])
          as d (lesson_id, path, origin, type, title, body, pinned, author, card, scope, status, superseded_by, content_hash, text_hashes)
        on conflict (project_id, lesson_id) do update set origin = excluded.origin, type = excluded.type, title = excluded.title,
          body = excluded.body, pinned = excluded.pinned, author = excluded.author, card = excluded.card, scope = excluded.scope,
          status = excluded.status, superseded_by = excluded.superseded_by, content_hash = excluded.content_hash,
          text_hashes = excluded.text_hashes, updated_at = excluded.updated_at
        returning lesson_no, lesson_id`.execute(db);
      const numbers = new Map(saved.rows.map((row) => [row.lesson_id, row.lesson_no]));
      const order = writes.map((write) => numbers.get(write.draft.id)!);
      await this.replaceAnchors(writes, order);
      return order;
    },

    async replaceAnchors(writes: readonly LessonWrite[], numbers: readonly number[]): Promise<void> {
      await sql`delete from lesson_anchors where lesson_no = any(${numbers}::bigint[])`.execute(db);
      const rows = writes.flatMap(({ anchors }, index) =>
        anchors.map((anchor, position) => ({ ...anchor, no: numbers[index]!, position })),
      );
      if (rows.length === 0) return;
      await sql`
        insert into lesson_anchors (brand_id, project_id, lesson_no, position, written, path, kind, node_no)
        select ${brandId}::int, ${projectId}::uuid, * from unnest(${rows.map((row) => row.no)}::bigint[],
          ${rows.map((row) => row.position)}::int[], ${rows.map((row) => row.written)}::text[], ${rows.map((row) => row.path)}::text[],
          ${rows.map((row) => row.kind)}::text[], ${rows.map((row) => row.nodeNo)}::int[])`.execute(db);
    },

    async remove(numbers: readonly number[]): Promise<void> {
      if (numbers.length === 0) return;
      await sql`delete from lessons where project_id = ${projectId} and lesson_no = any(${numbers}::bigint[])`.execute(
        db,
      );
    },

    /** Holds the project while its lessons change, so that a pass and a push never cross. */
    async lockProject(): Promise<void> {
      await sql`select from projects where project_id = ${projectId} and brand_id = ${brandId} for update`.execute(
        db,
      );
    },

    /** Anchors stand where their code stands now: bound ones follow, unbound ones are tried, lost ones tried again. */
    async settleAnchors(): Promise<void> {
      await sql`
        update lesson_anchors a set node_no = n.node_no, kind = n.kind, path = n.path
        from code_nodes n
        where a.project_id = ${projectId} and a.node_no is null and n.project_id = a.project_id and n.live
          and ((n.path = a.path and (n.kind = a.kind or n.kind = 'file')) or (a.kind = 'file' and n.kind = 'folder' and n.path = a.path || '/'))`.execute(
        db,
      );
      await sql`
        update lesson_anchors a set node_no = n.node_no
        from code_nodes gone, code_nodes n
        where a.project_id = ${projectId} and gone.project_id = a.project_id and gone.node_no = a.node_no and not gone.live
          and n.project_id = a.project_id and n.live and n.path = gone.path and n.kind = gone.kind`.execute(
        db,
      );
      await sql`
        update lesson_anchors a set path = n.path, kind = n.kind
        from code_nodes n
        where a.project_id = ${projectId} and n.project_id = a.project_id and n.node_no = a.node_no
          and (a.path <> n.path or a.kind <> n.kind)`.execute(db);
    },

    /**
     * A lesson with code anchors is stale when all of them are removed, one with folders only when all those are;
     * an anchor that never resolved keeps it live.
     */
    async settleStaleness(): Promise<void> {
      await sql`
        with standing as (
          select a.lesson_no, a.kind = 'folder' as is_folder, n.node_no is not null and not n.live as is_gone,
            n.removed_commit, n.removed_step, bool_or(a.kind <> 'folder') over (partition by a.lesson_no) as has_code
          from lesson_anchors a
          left join code_nodes n on n.project_id = a.project_id and n.node_no = a.node_no
          where a.project_id = ${projectId}
        ), verdict as (
          select lesson_no, case when bool_and(is_gone)
            then (array_agg(removed_commit order by removed_step desc nulls last))[1] end as stale_commit
          from standing where is_folder <> has_code group by lesson_no
        )
        update lessons l set stale_commit = v.stale_commit
        from lessons k left join verdict v on v.lesson_no = k.lesson_no
        where k.project_id = ${projectId} and l.lesson_no = k.lesson_no and l.stale_commit is distinct from v.stale_commit`.execute(
        db,
      );
    },

    async bumpVersion(): Promise<void> {
      await sql`update projects set lessons_version = lessons_version + 1 where project_id = ${projectId}`.execute(
        db,
      );
    },

    /** Anchors that stand on nothing, as the warnings of index and sync tell of them. */
    async unresolvedAnchors(numbers?: readonly number[]): Promise<string[]> {
      const rows = await sql<{ path: string; written: string }>`
        select l.path, a.written from lesson_anchors a join lessons l on l.lesson_no = a.lesson_no
        where a.project_id = ${projectId} and a.node_no is null and l.status = 'live'
          and (${numbers ?? null}::bigint[] is null or a.lesson_no = any(${numbers ?? null}::bigint[]))
        order by l.path, a.position limit 1000`.execute(db);
      return rows.rows.map(
        (row) => `${row.path}: the anchor ${JSON.stringify(row.written)} resolves to nothing`,
      );
    },
  };
}
