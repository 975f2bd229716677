import { yieldRegularly } from '../../../kernel/async.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Db } from '../../../platform/database/database.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { WebhookOutbox } from '../../../platform/outbox/outbox.js';
import type {
  FileChange,
  FollowedRun,
  FollowedStep,
  IndexFollower,
  NodeTable,
  ReadText,
} from '../../projects/index.js';
import { anchorCandidates } from '../files/anchors.js';
import { type LessonDraft, type LessonReading, lessonIdOf, readLessonFile } from '../files/lesson-file.js';
import {
  type AnchorRecord,
  keepAnchors,
  type LessonWrite,
  lessonRecords,
  type Move,
  type Origin,
  type StoredLesson,
  staleMessages,
} from '../records/lesson-records.store.js';

interface FollowerDeps {
  db: Db;
  clock: Clock;
  jobs: Pick<Jobs, 'trigger'>;
  outbox: Pick<WebhookOutbox, 'record'>;
}

const MOST_WARNINGS = 1000;

export function createLessonFollower(deps: FollowerDeps): IndexFollower {
  return {
    async open({ projectId, brandId }) {
      return followRun(deps, brandId, projectId);
    },
  };
}

async function followRun(
  { db, clock, jobs, outbox }: FollowerDeps,
  brandId: number,
  projectId: string,
): Promise<FollowedRun> {
  const followed = followLessons(await lessonRecords(db, brandId, projectId).load());
  return {
    isAnchored: followed.isAnchored,
    step: followed.step,
    finish: followed.finish,

    async write(tx) {
      const records = lessonRecords(tx, brandId, projectId);
      const { lessons, removed, bound, warnings } = followed.outcome();
      const changed = lessons.filter((lesson) => lesson.draft !== null);
      await records.remove(removed);
      const numbers = await records.save(changed.map(asWrite), clock.now());
      await records.bindAnchors(bound);
      await records.addMoves(movesOf(lessons, new Map(changed.map((lesson, at) => [lesson, numbers[at]!]))));
      await records.settleAnchors();
      const stale = await records.settleStaleness();
      await outbox.record(tx, staleMessages(brandId, projectId, stale, clock.now()));
      await records.bumpVersion();
      if (changed.length > 0) await jobs.trigger(tx, 'lesson-embed');
      const holdsAny = lessons.some((lesson) => lesson.origin === 'repository');
      return {
        lessons: holdsAny ? await records.countLiveOfRepository() : 0,
        warnings: [...warnings, ...(await records.unresolvedAnchors())].slice(0, MOST_WARNINGS),
      };
    },
  };
}

function movesOf(lessons: readonly FollowedLesson[], numbers: ReadonlyMap<FollowedLesson, number>) {
  return lessons.flatMap((lesson) => {
    const no = numbers.get(lesson) ?? lesson.no;
    return no === null ? [] : lesson.moves.map((move) => ({ ...move, no }));
  });
}

function asWrite(lesson: FollowedLesson): LessonWrite {
  return { no: lesson.no, origin: lesson.origin, draft: lesson.draft!, anchors: lesson.anchors };
}

interface FollowedLesson {
  no: number | null;
  origin: Origin;
  path: string;
  contentHash: string;
  anchors: AnchorRecord[];
  draft: LessonDraft | null;
  moves: Move[];
}

/**
 * The lessons of one project in memory during an index run: they move with their code and change with their
 * files.
 */
function followLessons(stored: readonly StoredLesson[]) {
  const lessons = new Map<string, FollowedLesson>();
  const removed: number[] = [];
  const readings = new Map<string, LessonReading>();
  const bound: { no: number; written: string; nodeNo: number }[] = [];
  let warnings: string[] = [];
  /** Computed on demand, and dropped when an anchor changes. */
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

  /** The record moves only if the file is readable at its new path. */
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
    const turn = yieldRegularly();
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
