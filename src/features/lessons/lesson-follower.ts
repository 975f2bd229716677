import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import type { Clock } from '../../kernel/clock.js';
import type { Jobs } from '../../services/jobs.js';
import type {
  FileChange,
  FollowedStep,
  FollowingPass,
  IndexFollower,
  NodeTable,
  ReadText,
} from '../projects/projects.service.js';
import { anchorCandidates } from './anchors.js';
import { type LessonDraft, type LessonReading, lessonIdOf, readLessonFile } from './lesson-files.js';
import { type AnchorRecord, type LessonWrite, lessonRows, type StoredLesson } from './lesson-rows.js';

interface Move {
  from: string;
  to: string;
  commit: string;
}

interface FollowedLesson {
  no: number | null;
  origin: 'repository' | 'pushed';
  path: string;
  anchors: AnchorRecord[];
  /** Set when the record has to be written again. */
  draft: LessonDraft | null;
  moves: Move[];
}

const MOST_WARNINGS = 1000;

/** Takes the lessons of a project along with every pass over its code. */
export function createLessonFollower({
  db,
  clock,
  jobs,
}: {
  db: Db;
  clock: Clock;
  jobs: Jobs;
}): IndexFollower {
  return {
    async open({ projectId, brandId }) {
      const stored = await lessonRows(db, brandId, projectId).load();
      return new LessonPass(stored, brandId, projectId, clock, jobs);
    },
  };
}

class LessonPass implements FollowingPass {
  readonly #lessons = new Map<string, FollowedLesson>();
  readonly #removed: number[] = [];
  readonly #readings = new Map<string, LessonReading>();
  readonly #bound: { no: number; written: string; nodeNo: number }[] = [];
  #warnings: string[] = [];
  #held = 0;

  constructor(
    stored: readonly StoredLesson[],
    readonly brandId: number,
    readonly projectId: string,
    readonly clock: Clock,
    readonly jobs: Jobs,
  ) {
    for (const { no, origin, path, anchors } of stored)
      this.#lessons.set(path, { no, origin, path, anchors, draft: null, moves: [] });
  }

  isAnchored(nodeNo: number): boolean {
    for (const lesson of this.#lessons.values())
      if (lesson.anchors.some((anchor) => anchor.nodeNo === nodeNo)) return true;
    return false;
  }

  async step({ commit, changes, outcome, table, readText }: FollowedStep): Promise<void> {
    const from = new Map(outcome.moved.map(({ node, from: before }) => [node.no, before]));
    for (const lesson of this.#lessons.values()) {
      for (const anchor of lesson.anchors) {
        const before = anchor.nodeNo === null ? undefined : from.get(anchor.nodeNo);
        if (before === undefined) continue;
        const to = table.nodes.get(anchor.nodeNo!)!.path;
        lesson.moves.push({ from: before, to, commit });
        anchor.path = to;
      }
    }
    for (const change of changes) if (isLessonFile(change)) await this.#follow(change, readText);
    this.#bind(table);
  }

  async #follow(change: FileChange, readText: ReadText): Promise<void> {
    if (change.status === 'removed') return this.#drop(change.path);
    const isLesson = lessonIdOf(change.path) !== undefined;
    const { draft } = isLesson ? await this.#read(change.path, change.blob, readText) : { draft: undefined };
    if (change.status === 'renamed') this.#rename(change.from!, change.path, draft !== undefined);
    if (draft) this.#apply(draft);
  }

  #drop(path: string): void {
    const lesson = this.#lessons.get(path);
    if (lesson?.origin !== 'repository') return;
    if (lesson.no !== null) this.#removed.push(lesson.no);
    this.#lessons.delete(path);
  }

  /** Only a file that can be read at its new place takes its record along. */
  #rename(from: string, to: string, isReadable: boolean): void {
    const lesson = this.#lessons.get(from);
    if (lesson?.origin !== 'repository') return;
    if (isReadable && !this.#lessons.has(to)) {
      this.#lessons.delete(from);
      this.#lessons.set(to, { ...lesson, path: to });
    } else this.#drop(from);
  }

  #apply(draft: LessonDraft): void {
    const known = this.#lessons.get(draft.path);
    const anchors = draft.anchors.map(({ written, anchor }): AnchorRecord => {
      const before = known?.anchors.find((candidate) => candidate.written === written);
      return before ?? { ...anchor, written, nodeNo: null };
    });
    const lesson = {
      no: null,
      moves: [],
      ...known,
      path: draft.path,
      origin: 'repository' as const,
      anchors,
      draft,
    };
    this.#lessons.set(draft.path, lesson);
  }

  #bind(table: NodeTable): void {
    for (const lesson of this.#lessons.values()) {
      for (const anchor of lesson.anchors) {
        if (anchor.nodeNo !== null) continue;
        const node = anchorCandidates(anchor)
          .map(({ kind, path }) => table.find(kind, path))
          .find((found) => found !== undefined);
        if (!node) continue;
        Object.assign(anchor, { nodeNo: node.no, kind: node.kind, path: node.path });
        if (lesson.no !== null) this.#bound.push({ no: lesson.no, written: anchor.written, nodeNo: node.no });
      }
    }
  }

  async #read(path: string, blob: string, readText: ReadText): Promise<LessonReading> {
    const key = `${blob} ${path}`;
    let reading = this.#readings.get(key);
    if (!reading) {
      const text = await readText(blob);
      reading =
        text === undefined
          ? { warnings: [`${path}: the file is larger than 1 MB`] }
          : readLessonFile(path, text);
      this.#readings.set(key, reading);
    }
    return reading;
  }

  async finish(
    files: ReadonlyMap<string, { blob: string }>,
    table: NodeTable,
    readText: ReadText,
  ): Promise<void> {
    this.#bind(table);
    this.#warnings = [];
    for (const [path, { blob }] of files) {
      if (!path.startsWith('lessons/') || !path.endsWith('.md')) continue;
      const { warnings, draft } = await this.#read(path, blob, readText);
      this.#warnings.push(...warnings);
      const record = this.#lessons.get(path);
      if (draft && record?.origin !== 'repository') this.#apply(draft);
    }
    for (const lesson of [...this.#lessons.values()]) if (!files.has(lesson.path)) this.#drop(lesson.path);
    this.#bind(table);
    this.#held = [...this.#lessons.values()].filter((lesson) => lesson.origin === 'repository').length;
  }

  async write(tx: Tx): Promise<{ lessons: number; warnings: string[] }> {
    const rows = lessonRows(tx, this.brandId, this.projectId);
    const changed = [...this.#lessons.values()].filter((lesson) => lesson.draft !== null);
    await rows.remove(this.#removed);
    const numbers = await rows.save(changed.map(asWrite), this.clock.now());
    await this.#writeBindings(tx);
    await this.#writeMoves(tx, new Map(changed.map((lesson, index) => [lesson, numbers[index]!])));
    await rows.settleAnchors();
    await rows.settleStaleness();
    await rows.bumpVersion();
    if (changed.length > 0) await this.jobs.trigger(tx, 'lesson-embed');
    const warnings = [...this.#warnings, ...(await rows.unresolvedAnchors())].slice(0, MOST_WARNINGS);
    return { lessons: await this.#countLive(tx), warnings };
  }

  async #writeBindings(tx: Tx): Promise<void> {
    if (this.#bound.length === 0) return;
    await sql`
      update lesson_anchors a set node_no = b.node_no
      from unnest(${this.#bound.map(({ no }) => no)}::bigint[], ${this.#bound.map(({ written }) => written)}::text[],
        ${this.#bound.map(({ nodeNo }) => nodeNo)}::int[]) as b (lesson_no, written, node_no)
      where a.lesson_no = b.lesson_no and a.written = b.written and a.node_no is null`.execute(tx);
  }

  async #writeMoves(tx: Tx, numbers: ReadonlyMap<FollowedLesson, number>): Promise<void> {
    const moves = [...this.#lessons.values()].flatMap((lesson) => {
      const no = numbers.get(lesson) ?? lesson.no;
      return no === null ? [] : lesson.moves.map((move) => ({ ...move, no }));
    });
    if (moves.length === 0) return;
    await sql`
      insert into lesson_moves (lesson_no, position, from_path, to_path, commit_id)
      select m.lesson_no, coalesce((select max(position) from lesson_moves o where o.lesson_no = m.lesson_no), 0) + m.ordinality,
        m.from_path, m.to_path, m.commit_id
      from unnest(${moves.map(({ no }) => no)}::bigint[], ${moves.map(({ from }) => from)}::text[], ${moves.map(({ to }) => to)}::text[],
        ${moves.map(({ commit }) => commit)}::text[]) with ordinality as m (lesson_no, from_path, to_path, commit_id, ordinality)
      where exists (select from lessons l where l.lesson_no = m.lesson_no)`.execute(tx);
  }

  async #countLive(tx: Tx): Promise<number> {
    if (this.#held === 0) return 0;
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from lessons
      where project_id = ${this.projectId} and origin = 'repository' and status = 'live'`.execute(tx);
    return rows[0]!.count;
  }
}

function asWrite(lesson: FollowedLesson): LessonWrite {
  return { no: lesson.no, origin: lesson.origin, draft: lesson.draft!, anchors: lesson.anchors };
}

function isLessonFile({ path, from }: FileChange): boolean {
  const isOne = (candidate: string) => candidate.startsWith('lessons/') && candidate.endsWith('.md');
  return isOne(path) || (from !== undefined && isOne(from));
}
