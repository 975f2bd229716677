import { takeTurns } from '../../../kernel/event-loop.js';
import type { Db } from '../../../platform/database/database.js';
import type { ProjectService } from '../../projects/index.js';
import { placesAround } from '../files/anchors.js';
import type { LookupAnswer, LookupQuestion } from '../lessons.schemas.js';
import type { AnchoredLessons } from '../near/anchored-lessons.js';
import { type AnchoredLesson, lessonStore } from '../records/lessons.store.js';

const TOP_PER_NODE = 5;

export interface LookupDeps {
  db: Db;
  projects: ProjectService;
  anchored: AnchoredLessons;
}

/** `anchors:lookup`: how many lessons stand on nodes, and the first of each. */
export function createLookupService({ db, projects, anchored }: LookupDeps) {
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

  return { lookUp };
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

function note(found: FoundLessons, nodeId: string, lesson: AnchoredLesson): void {
  const lessons = found.get(nodeId) ?? new Map<number, AnchoredLesson>();
  found.set(nodeId, lessons.set(lesson.lesson_no, lesson));
}

function onNodes(nodes: readonly AskedNode[], anchored: readonly AnchoredLesson[]): FoundLessons {
  const found: FoundLessons = new Map();
  const byNo = new Map(nodes.map((node) => [node.node_no, node.node_id]));
  for (const lesson of anchored) {
    const nodeId = byNo.get(lesson.node_no);
    if (nodeId !== undefined) note(found, nodeId, lesson);
  }
  return found;
}

/** Live places hold what lives in them; a removed node still holds what was removed with it. */
async function underNodes(
  nodes: readonly AskedNode[],
  anchored: readonly AnchoredLesson[],
): Promise<FoundLessons> {
  const found = onNodes(nodes, anchored);
  const [live, removed] = [nodesByPlace(nodes, true), nodesByPlace(nodes, false)];
  const turn = takeTurns();
  for (const lesson of anchored) {
    const byPlace = lesson.live ? live : removed;
    if (byPlace.size === 0) continue;
    for (const place of placesAround(lesson))
      for (const nodeId of byPlace.get(place) ?? []) note(found, nodeId, lesson);
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
