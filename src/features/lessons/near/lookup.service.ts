import { LRUCache } from 'lru-cache';
import { yieldRegularly } from '../../../kernel/async.js';
import { conflict } from '../../../kernel/errors.js';
import type { Db } from '../../../platform/database/database.js';
import type { ProjectRow, ProjectService } from '../../projects/index.js';
import { placesAround } from '../files/anchors.js';
import { unknownCommit } from '../lessons.errors.js';
import type { ImpactAnswer, LookupAnswer, LookupQuestion } from '../lessons.schemas.js';
import { type AnchoredLesson, lessonStore } from '../records/lessons.store.js';

const MOST_CACHED = 200_000;
const TOP_PER_NODE = 5;

export type AnchoredLessons = ReturnType<typeof cacheAnchoredLessons>;

/** Caches the anchored lessons of each project until its index or its lessons change. */
export function cacheAnchoredLessons(db: Db) {
  const cache = new LRUCache<string, { version: string; lessons: AnchoredLesson[] }>({
    maxSize: MOST_CACHED,
    sizeCalculation: ({ lessons }) => lessons.length + 1,
  });

  async function list(project: ProjectRow): Promise<AnchoredLesson[]> {
    const version = `${project.index_version} ${project.lessons_version}`;
    const cached = cache.get(project.project_id);
    if (cached?.version === version) return cached.lessons;
    const lessons = await lessonStore(db, project.brand_id).listAnchored(project.project_id);
    cache.set(project.project_id, { version, lessons });
    return lessons;
  }

  return { list };
}

export function createLookupService({
  db,
  projects,
  anchored,
}: {
  db: Db;
  projects: ProjectService;
  anchored: AnchoredLessons;
}) {
  async function lookUp(brandId: number, question: LookupQuestion): Promise<LookupAnswer> {
    const project = await projects.getProjectRow(brandId, question.project_id);
    const store = lessonStore(db, brandId);
    const [nodes, lessonsOnCode] = await Promise.all([
      store.findNodes(project.project_id, [...new Set(question.node_ids.map((id) => id.toLowerCase()))]),
      anchored.list(project),
    ]);
    const found =
      question.match === 'exact' ? onNodes(nodes, lessonsOnCode) : await underNodes(nodes, lessonsOnCode);
    const counts: LookupAnswer['counts'] = {};
    const top = new Map<string, number[]>();
    for (const [nodeId, lessons] of found) {
      counts[nodeId] = lessons.size;
      const ordered = [...lessons.values()].sort(byFreshness).slice(0, TOP_PER_NODE);
      top.set(
        nodeId,
        ordered.map((lesson) => lesson.lesson_no),
      );
    }
    const entries = await store.readEntries([...new Set([...top.values()].flat())]);
    return {
      counts,
      entries: Object.fromEntries(
        [...top].map(([nodeId, numbers]) => [nodeId, numbers.flatMap((no) => entries.get(no) ?? [])]),
      ),
    };
  }

  async function getMergeImpact(
    brandId: number,
    projectId: string,
    base: string,
    head: string,
  ): Promise<ImpactAnswer> {
    const project = await projects.getProjectRow(brandId, projectId);
    if (project.repository_url === null) throw conflict('This project has no repository');
    const lessons = await lessonStore(db, brandId).listWithAnchors(projectId);
    const paths = [...new Set(lessons.flatMap(({ anchors }) => anchors.map(({ path }) => path)))];
    const comparison = await projects.compare({ project, base, head, paths });
    if ('unknown' in comparison) throw unknownCommit(comparison.unknown);
    const moved = new Map(comparison.moved);
    const touched = new Set(comparison.touched);
    const answer: ImpactAnswer = {
      base: comparison.base,
      head: comparison.head,
      stale: [],
      moved: [],
      touched: [],
    };
    const turn = yieldRegularly();
    for (const { anchors, ...lesson } of lessons) {
      const gone = anchors.filter(({ path }) => moved.get(path) === null).map(({ path }) => path);
      const moves = anchors.flatMap(({ path }) => {
        const to = moved.get(path);
        return to ? [{ from: path, to }] : [];
      });
      const changed = anchors.filter(({ path }) => touched.has(path)).map(({ path }) => path);
      if (gone.length > 0 && wouldBeStale(anchors, moved)) answer.stale.push({ ...lesson, anchors: gone });
      if (moves.length > 0) answer.moved.push({ ...lesson, moves });
      if (changed.length > 0) answer.touched.push({ ...lesson, anchors: changed });
      await turn();
    }
    return answer;
  }

  return { lookUp, getMergeImpact };
}

function byFreshness(one: AnchoredLesson, other: AnchoredLesson): number {
  return (
    Number(other.pinned) - Number(one.pinned) ||
    other.created_at.getTime() - one.created_at.getTime() ||
    (one.lesson_id < other.lesson_id ? -1 : 1)
  );
}

type AskedNode = { node_id: string; node_no: number; path: string; live: boolean };
type FoundLessons = Map<string, Map<number, AnchoredLesson>>;

function addLesson(found: FoundLessons, nodeId: string, lesson: AnchoredLesson): void {
  const lessons = found.get(nodeId) ?? new Map<number, AnchoredLesson>();
  found.set(nodeId, lessons.set(lesson.lesson_no, lesson));
}

function onNodes(nodes: readonly AskedNode[], anchored: readonly AnchoredLesson[]): FoundLessons {
  const found: FoundLessons = new Map();
  const byNo = new Map(nodes.map((node) => [node.node_no, node.node_id]));
  for (const lesson of anchored) {
    const nodeId = byNo.get(lesson.node_no);
    if (nodeId !== undefined) addLesson(found, nodeId, lesson);
  }
  return found;
}

/**
 * A live node's subtree contains only live code; a removed node keeps the lessons that were removed with it.
 */
async function underNodes(
  nodes: readonly AskedNode[],
  anchored: readonly AnchoredLesson[],
): Promise<FoundLessons> {
  const found = onNodes(nodes, anchored);
  const [live, removed] = [nodesByPlace(nodes, true), nodesByPlace(nodes, false)];
  const turn = yieldRegularly();
  for (const lesson of anchored) {
    const byPlace = lesson.live ? live : removed;
    if (byPlace.size === 0) continue;
    for (const place of placesAround(lesson))
      for (const nodeId of byPlace.get(place) ?? []) addLesson(found, nodeId, lesson);
    await turn();
  }
  return found;
}

function nodesByPlace(nodes: readonly AskedNode[], live: boolean): Map<string, string[]> {
  const byPlace = new Map<string, string[]>();
  for (const node of nodes) {
    if (node.live !== live) continue;
    const known = byPlace.get(node.path);
    if (known) known.push(node.node_id);
    else byPlace.set(node.path, [node.node_id]);
  }
  return byPlace;
}

type LessonWithAnchors = Awaited<ReturnType<ReturnType<typeof lessonStore>['listWithAnchors']>>[number];

function wouldBeStale(
  anchors: LessonWithAnchors['anchors'],
  moved: ReadonlyMap<string, string | null>,
): boolean {
  const code = anchors.filter(({ kind }) => kind !== 'folder');
  const deciding = code.length > 0 ? code : anchors;
  return deciding.every(({ path, bound, live }) => bound && (!live || moved.get(path) === null));
}
