import { sql } from 'kysely';
import { yieldRegularly } from '../../../kernel/async.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { WebhookMessage } from '../../../platform/outbox/outbox.js';
import { noteLessonsChanged } from '../../projects/index.js';
import type { Anchor } from '../files/anchors.js';
import type { LessonDraft } from '../files/lesson-file.js';

export type Origin = 'repository' | 'pushed';

export interface AnchorRecord extends Anchor {
  written: string;
  nodeNo: number | null;
}

export interface LessonWrite {
  /** Null for a new lesson. */
  no: number | null;
  origin: Origin;
  draft: LessonDraft;
  anchors: AnchorRecord[];
}

export interface Move {
  from: string;
  to: string;
  commit: string;
}

export interface StoredLesson {
  no: number;
  id: string;
  path: string;
  origin: Origin;
  contentHash: string;
  anchors: AnchorRecord[];
}

export interface StaleLesson {
  lesson_id: string;
  path: string;
  stale_commit: string | null;
  status: string;
}

/** Reads and writes a project's lessons and anchors within the transaction that changes them. */
export function lessonRecords(db: Db | Tx, brandId: number, projectId: string) {
  return {
    /** Loads all lessons with their anchors, or only the lessons of these files. */
    async load(paths: readonly string[] | null = null): Promise<StoredLesson[]> {
      const lessons = await sql<Omit<StoredLesson, 'anchors'>>`
        select lesson_no as no, lesson_id as id, path, origin, content_hash as "contentHash"
        from lessons where project_id = ${projectId} and (${paths}::text[] is null or path = any(${paths}::text[]))
        order by lesson_no`.execute(db);
      const numbers = paths && lessons.rows.map((lesson) => lesson.no);
      const anchors = await sql<AnchorRecord & { no: number }>`
        select lesson_no as no, written, path, kind, node_no as "nodeNo"
        from lesson_anchors where project_id = ${projectId} and (${numbers}::bigint[] is null or lesson_no = any(${numbers}::bigint[]))
        order by lesson_no, position`.execute(db);
      const byNumber = new Map<number, StoredLesson>(
        lessons.rows.map((lesson) => [lesson.no, { ...lesson, anchors: [] }]),
      );
      const turn = yieldRegularly();
      for (const { no, ...anchor } of anchors.rows) {
        byNumber.get(no)?.anchors.push(anchor);
        await turn();
      }
      return [...byNumber.values()];
    },

    async listPushed(): Promise<{ no: number; id: string; path: string }[]> {
      const { rows } = await sql<{ no: number; id: string; path: string }>`
        select lesson_no as no, lesson_id as id, path from lessons
        where project_id = ${projectId} and origin = 'pushed' order by lesson_id`.execute(db);
      return rows;
    },

    /** Inserts or replaces. Returns the lessons' numbers in order. */
    async save(writes: readonly LessonWrite[], now: Date): Promise<number[]> {
      await this.rename(writes.filter((write) => write.no !== null));
      const numbers: number[] = [];
      for (const batch of batchesOf(writes)) {
        const saved = await this.saveLessons(batch, now);
        await this.replaceAnchors(batch, saved);
        numbers.push(...saved);
      }
      return numbers;
    },

    /** A renamed lesson file keeps its record. Renames go through a temporary id, because files may swap names. */
    async rename(writes: readonly LessonWrite[]): Promise<void> {
      if (writes.length === 0) return;
      for (const name of [sql`m.lesson_id || chr(1) || m.lesson_no`, sql`m.lesson_id`]) {
        await sql`
          update lessons l set lesson_id = ${name}, path = m.path
          from unnest(${writes.map((write) => write.no)}::bigint[], ${writes.map((write) => write.draft.id)}::text[],
            ${writes.map((write) => write.draft.path)}::text[]) as m (lesson_no, lesson_id, path)
          where l.lesson_no = m.lesson_no and l.project_id = ${projectId} and l.lesson_id <> m.lesson_id`.execute(
          db,
        );
      }
    },

    async saveLessons(writes: readonly LessonWrite[], now: Date): Promise<number[]> {
      const column = <T>(pick: (draft: LessonDraft, write: LessonWrite) => T) =>
        writes.map((write) => pick(write.draft, write));
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
      return writes.map((write) => numbers.get(write.draft.id)!);
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

    /** Saves the anchors that an index run resolved. Skips anchors that were replaced in the meantime. */
    async bindAnchors(bound: readonly { no: number; written: string; nodeNo: number }[]): Promise<void> {
      if (bound.length === 0) return;
      await sql`
        update lesson_anchors a set node_no = b.node_no
        from unnest(${bound.map(({ no }) => no)}::bigint[], ${bound.map(({ written }) => written)}::text[],
          ${bound.map(({ nodeNo }) => nodeNo)}::int[]) as b (lesson_no, written, node_no)
        where a.lesson_no = b.lesson_no and a.written = b.written and a.node_no is null`.execute(db);
    },

    async addMoves(moves: readonly (Move & { no: number })[]): Promise<void> {
      if (moves.length === 0) return;
      await sql`
        insert into lesson_moves (lesson_no, position, from_path, to_path, commit_id)
        select m.lesson_no, coalesce((select max(position) from lesson_moves o where o.lesson_no = m.lesson_no), 0) + m.ordinality,
          m.from_path, m.to_path, m.commit_id
        from unnest(${moves.map(({ no }) => no)}::bigint[], ${moves.map(({ from }) => from)}::text[], ${moves.map(({ to }) => to)}::text[],
          ${moves.map(({ commit }) => commit)}::text[]) with ordinality as m (lesson_no, from_path, to_path, commit_id, ordinality)
        where exists (select from lessons l where l.lesson_no = m.lesson_no)`.execute(db);
    },

    async countLiveOfRepository(): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from lessons
        where project_id = ${projectId} and origin = 'repository' and status = 'live'`.execute(db);
      return rows[0]!.count;
    },

    async remove(numbers: readonly number[]): Promise<void> {
      if (numbers.length === 0) return;
      await sql`delete from lessons where project_id = ${projectId} and lesson_no = any(${numbers}::bigint[])`.execute(
        db,
      );
    },

    /** Serializes index runs and pushes of one project. */
    async lockProject(): Promise<void> {
      await sql`select from projects where project_id = ${projectId} and brand_id = ${brandId} for update`.execute(
        db,
      );
    },

    /** Resolves anchors to the code that is live now, and moves resolved anchors with their code. */
    async settleAnchors(): Promise<void> {
      // `union all` and a window instead of a join: without statistics, a join would read all nodes for every
      // anchor.
      await sql`
        update lesson_anchors a set node_no = f.node_no, kind = f.kind, path = f.path
        from (
          select place, path, kind, max(node_no) over (partition by path, kind) as node_no
          from (
            select w.ctid as place, c.path, c.kind, null::int as node_no
            from lesson_anchors w
            cross join lateral (values (w.path, w.kind), (w.path, 'file'), (case w.kind when 'file' then w.path || '/' end, 'folder'))
              as c (path, kind)
            where w.project_id = ${projectId} and w.node_no is null
            union all
            select null, path, kind, node_no from code_nodes where project_id = ${projectId} and live) as beside) as f
        where a.ctid = f.place and f.node_no is not null`.execute(db);
      // Resolved anchors: a removed node is replaced by the live node at its path, and the anchor takes its node's path.
      await sql`
        with bound as materialized (
          select ctid as place, node_no from lesson_anchors where project_id = ${projectId} and node_no is not null
        ), stood as materialized (
          select node_no, path, kind, live from code_nodes
          where project_id = ${projectId} and node_no = any(array(select node_no from bound))
        ), replaced as (
          select stood_no, path, kind,
            case when live then stood_no else coalesce(max(live_no) over (partition by path, kind), stood_no) end as node_no
          from (
            select node_no as stood_no, path, kind, live, null::int as live_no from stood
            union all
            select null, path, kind, live, node_no from code_nodes
            where project_id = ${projectId} and live and path = any(array(select path from stood where not live))) as beside
        )
        update lesson_anchors a set node_no = s.node_no, path = s.path, kind = s.kind
        from (
          select place, max(node_no) over same as node_no, max(path) over same as path, max(kind) over same as kind
          from (
            select place, node_no as stood_no, null::int as node_no, null as path, null as kind from bound
            union all
            select null, stood_no, node_no, path, kind from replaced where stood_no is not null) as beside
          window same as (partition by stood_no)) as s
        where a.ctid = s.place and s.path is not null and (a.node_no, a.path, a.kind) <> (s.node_no, s.path, s.kind)`.execute(
        db,
      );
    },

    /**
     * A lesson with code anchors is stale when all of them are removed. Folder anchors count only where there are no others.
     * An anchor that never resolved keeps the lesson live. Returns the lessons that became stale.
     */
    async settleStaleness(): Promise<StaleLesson[]> {
      const { rows } = await sql<StaleLesson & { was_stale: boolean }>`
        with placed as (
          select lesson_no, is_folder, bool_or(is_gone) over same as is_gone, max(removed_commit) over same as removed_commit,
            max(removed_step) over same as removed_step
          from (
            select lesson_no, kind = 'folder' as is_folder, node_no, false as is_gone, null as removed_commit, null::bigint as removed_step
            from lesson_anchors where project_id = ${projectId}
            union all
            select null, null, node_no, true, removed_commit, removed_step from code_nodes
            where project_id = ${projectId} and not live and node_no = any(array(
              select node_no from lesson_anchors where project_id = ${projectId} and node_no is not null))) as beside
          window same as (partition by node_no)
        ), standing as (
          select *, bool_or(not is_folder) over (partition by lesson_no) as has_code from placed where lesson_no is not null
        ), verdict as (
          select lesson_no, case when bool_and(is_gone)
            then (array_agg(removed_commit order by removed_step desc nulls last))[1] end as stale_commit
          from standing where is_folder <> has_code group by lesson_no
        )
        update lessons l set stale_commit = s.settled
        from (
          select max(place) as place, max(standing) as standing, max(settled) as settled
          from (
            select lesson_no, ctid as place, stale_commit as standing, null as settled
            from lessons where project_id = ${projectId}
            union all
            select lesson_no, null, null, stale_commit from verdict) as beside
          group by lesson_no) as s
        where l.ctid = s.place and s.standing is distinct from s.settled
        returning l.lesson_id, l.path, l.stale_commit, l.status, s.standing is not null as was_stale`.execute(
        db,
      );
      return rows.filter((row) => row.status === 'live' && row.stale_commit !== null && !row.was_stale);
    },

    /** Invalidates what the service processes have cached of the project's lessons. */
    bumpVersion: (): Promise<void> => noteLessonsChanged(db, brandId, projectId),

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

const BATCH = { lessons: 500, anchors: 2000, characters: 500_000 };

function* batchesOf(writes: readonly LessonWrite[]): Generator<LessonWrite[]> {
  let batch: LessonWrite[] = [];
  let anchors = 0;
  let characters = 0;
  for (const write of writes) {
    batch.push(write);
    anchors += write.anchors.length;
    characters += write.draft.body.length;
    if (batch.length < BATCH.lessons && anchors < BATCH.anchors && characters < BATCH.characters) continue;
    yield batch;
    batch = [];
    anchors = 0;
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The anchors of a changed file: known ones stay bound to their code, new ones are not resolved yet. */
export function keepAnchors(before: readonly AnchorRecord[], draft: LessonDraft): AnchorRecord[] {
  const known = new Map(before.map((record) => [record.written, record]));
  return draft.anchors.map(
    ({ written, anchor }) => known.get(written) ?? { ...anchor, written, nodeNo: null },
  );
}

export const staleMessages = (
  brandId: number,
  projectId: string,
  lessons: readonly StaleLesson[],
  at: Date,
): WebhookMessage[] =>
  lessons.map(({ lesson_id, path, stale_commit }) => ({
    brandId,
    type: 'lesson.stale',
    at,
    data: { project_id: projectId, lesson_id, path, stale_reason: `code removed in ${stale_commit}` },
  }));
