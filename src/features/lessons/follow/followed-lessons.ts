import { takeTurns } from '../../../kernel/event-loop.js';
import type { FileChange, FollowedStep, NodeTable, ReadText } from '../../projects/index.js';
import { anchorCandidates } from '../files/anchors.js';
import { type LessonDraft, type LessonReading, lessonIdOf, readLessonFile } from '../files/lesson-file.js';
import { keepAnchors } from '../records/lesson-changes.js';
import type { AnchorRecord, Move, Origin, StoredLesson } from '../records/lesson-records.store.js';

export interface FollowedLesson {
  no: number | null;
  origin: Origin;
  path: string;
  contentHash: string;
  anchors: AnchorRecord[];
  /** Set when the record has to be written again. */
  draft: LessonDraft | null;
  moves: Move[];
}

/** The lessons of one project during one pass, in memory: they move with their code and change with their files. */
export function followLessons(stored: readonly StoredLesson[]) {
  const lessons = new Map<string, FollowedLesson>();
  const removed: number[] = [];
  const readings = new Map<string, LessonReading>();
  const bound: { no: number; written: string; nodeNo: number }[] = [];
  let warnings: string[] = [];
  /** Nodes under an anchor; made when asked for, forgotten when an anchor changes. */
  let anchoredNodes: Set<number | null> | undefined;
  for (const { id: _, ...lesson } of stored) lessons.set(lesson.path, { ...lesson, draft: null, moves: [] });

  function isAnchored(nodeNo: number): boolean {
    anchoredNodes ??= new Set(
      [...lessons.values()].flatMap(({ anchors }) => anchors.map((anchor) => anchor.nodeNo)),
    );
    return anchoredNodes.has(nodeNo);
  }

  async function step({ commit, changes, outcome, table, readText }: FollowedStep): Promise<void> {
    const from = new Map(outcome.moved.map(({ node, from: before }) => [node.no, before]));
    for (const lesson of lessons.values()) {
      for (const anchor of lesson.anchors) {
        const before = anchor.nodeNo === null ? undefined : from.get(anchor.nodeNo);
        if (before === undefined) continue;
        const to = table.nodes.get(anchor.nodeNo!)!.path;
        lesson.moves.push({ from: before, to, commit });
        anchor.path = to;
      }
    }
    for (const change of changes) if (isLessonFile(change)) await followFile(change, readText);
    bind(table);
  }

  async function followFile(change: FileChange, readText: ReadText): Promise<void> {
    if (change.status === 'removed') return drop(change.path);
    const isLesson = lessonIdOf(change.path) !== undefined;
    const { draft } = isLesson ? await read(change.path, change.blob, readText) : { draft: undefined };
    if (change.status === 'renamed') rename(change.from!, change.path, draft !== undefined);
    if (draft) apply(draft);
  }

  function drop(path: string): void {
    const lesson = lessons.get(path);
    if (lesson?.origin !== 'repository') return;
    if (lesson.no !== null) removed.push(lesson.no);
    lessons.delete(path);
  }

  /** Only a file that can be read at its new place takes its record along. */
  function rename(from: string, to: string, isReadable: boolean): void {
    const lesson = lessons.get(from);
    if (lesson?.origin !== 'repository') return;
    if (isReadable && !lessons.has(to)) {
      lessons.delete(from);
      lessons.set(to, { ...lesson, path: to });
    } else drop(from);
  }

  function apply(draft: LessonDraft): void {
    const known = lessons.get(draft.path);
    lessons.set(draft.path, {
      no: null,
      moves: [],
      ...known,
      path: draft.path,
      origin: 'repository',
      contentHash: draft.contentHash,
      anchors: keepAnchors(known?.anchors ?? [], draft),
      draft,
    });
  }

  function bind(table: NodeTable): void {
    anchoredNodes = undefined;
    for (const lesson of lessons.values()) {
      for (const anchor of lesson.anchors) {
        if (anchor.nodeNo !== null) continue;
        const node = anchorCandidates(anchor)
          .map(({ kind, path }) => table.find(kind, path))
          .find((found) => found !== undefined);
        if (!node) continue;
        Object.assign(anchor, { nodeNo: node.no, kind: node.kind, path: node.path });
        if (lesson.no !== null) bound.push({ no: lesson.no, written: anchor.written, nodeNo: node.no });
      }
    }
  }

  async function read(path: string, blob: string, readText: ReadText): Promise<LessonReading> {
    const key = `${blob} ${path}`;
    let reading = readings.get(key);
    if (!reading) {
      const text = await readText(blob);
      reading =
        text === undefined
          ? { warnings: [`${path}: the file is larger than 1 MB`] }
          : readLessonFile(path, text);
      readings.set(key, reading);
    }
    return reading;
  }

  async function finish(
    files: ReadonlyMap<string, { blob: string }>,
    table: NodeTable,
    readText: ReadText,
  ): Promise<void> {
    bind(table);
    warnings = [];
    const turn = takeTurns();
    for (const [path, { blob }] of files) {
      if (!isLessonPath(path)) continue;
      const reading = await read(path, blob, readText);
      warnings.push(...reading.warnings);
      const record = lessons.get(path);
      const isKept = record?.origin === 'repository' && record.contentHash === reading.draft?.contentHash;
      if (reading.draft && !isKept) apply(reading.draft);
      await turn();
    }
    for (const lesson of [...lessons.values()]) if (!files.has(lesson.path)) drop(lesson.path);
    bind(table);
  }

  return {
    isAnchored,
    step,
    finish,
    outcome: () => ({ lessons: [...lessons.values()], removed, bound, warnings }),
  };
}

const isLessonPath = (path: string) => path.startsWith('lessons/') && path.endsWith('.md');

const isLessonFile = ({ path, from }: FileChange) =>
  isLessonPath(path) || (from !== undefined && isLessonPath(from));
