import { DeadlineExceeded, within, yieldRegularly } from '../../../kernel/async.js';
import type { Log } from '../../../kernel/log.js';
import { errorCode, isConnectionFailure } from '../../../platform/database/connection/database-errors.js';
import type { Db } from '../../../platform/database/database.js';
import type { CodeGraph, ProjectRow, ProjectService } from '../../projects/index.js';
import type { Anchor } from '../files/anchors.js';
import { projectNotFound, wrongStartCount } from '../lessons.errors.js';
import type { NearAnswer, NearQuestion } from '../lessons.schemas.js';
import { type AnchoredLesson, lessonStore } from '../records/lessons.store.js';
import type { AnchoredLessons } from './lookup.service.js';
import { findStart, type Nearby, readStart, type Walk, walkCode } from './walk.js';

interface Found extends Nearby {
  lesson: AnchoredLesson;
}

/** The response is degraded when reading the code index or the lessons takes longer than this. */
const PART_MS = 5000;

export function createNearService({
  db,
  log,
  projects,
  anchored,
}: {
  db: Db;
  log: Log;
  projects: ProjectService;
  anchored: AnchoredLessons;
}) {
  /** Undefined when the database cannot answer. */
  async function tryRead<T>(part: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await within(PART_MS, work());
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      log.warn({ err: error }, `${part} could not be read`);
      return undefined;
    }
  }

  async function findNear(brandId: number, question: NearQuestion): Promise<NearAnswer> {
    const { paths = [], node_ids = [], limit = 20 } = question;
    if (paths.length + node_ids.length < 1 || paths.length + node_ids.length > 50) throw wrongStartCount();
    const anchors = paths.map((path) => readStart(path, 'paths'));
    const code = await tryRead('The code index', async () => {
      const project = await projects.findProject(brandId, question.project_id.toLowerCase());
      if (!project?.repository_url) throw projectNotFound();
      if (project.ready_index_id === null) return { project, graph: undefined };
      return { project, graph: await projects.loadGraph(project) };
    });
    if (!code) return degraded('code_index_unavailable');
    if (!code.graph) return degraded('no_ready_index');
    const walk = walkFrom(code.graph, anchors, node_ids, question);
    const answer = { ...describeWalk(walk), truncated: walk.isCapped, degraded: null };
    const entries = await tryRead('The lessons', () => readEntries(code.project, walk, limit));
    if (!entries) return { ...answer, entries: [], degraded: 'memory_unavailable' };
    return { ...answer, entries: entries.items, truncated: walk.isCapped || entries.total > limit };
  }

  async function readEntries(project: ProjectRow, walk: Walk, limit: number) {
    const found = await nearestOf(walk, await anchored.list(project));
    const chosen = found.slice(0, limit);
    const entries = await lessonStore(db, project.brand_id).readEntries(
      chosen.map(({ lesson }) => lesson.lesson_no),
    );
    const items = chosen.flatMap(({ lesson, node, hops }) => {
      const entry = entries.get(lesson.lesson_no);
      return entry
        ? [{ ...entry, hops, via_node_id: walk.graph.nodes[node]!.id, path_to: walk.pathTo(node) }]
        : [];
    });
    return { items, total: found.length };
  }

  return { findNear };
}

function walkFrom(
  graph: CodeGraph,
  anchors: readonly Anchor[],
  nodeIds: readonly string[],
  question: NearQuestion,
): Walk {
  const { depth = 2, kinds = ['import', 'contains'], direction = 'both', hub_cap: hubCap = 25 } = question;
  const starts = [
    ...anchors.map((anchor) => findStart(graph, anchor)),
    ...nodeIds.map((id) => graph.findById(id.toLowerCase())),
  ].filter((node) => node !== undefined);
  return walkCode(graph, starts, { depth, kinds: new Set(kinds), direction, hubCap });
}

const exactness = { symbol: 2, file: 1, folder: 0 };

/** Each lesson once, at its nearest node; pinned first, then fewer hops. */
async function nearestOf(walk: Walk, lessons: readonly AnchoredLesson[]): Promise<Found[]> {
  const found = new Map<number, Found>();
  const turn = yieldRegularly();
  for (const lesson of lessons) {
    await turn();
    const anchored = walk.graph.findByNo(lesson.node_no);
    const nearest = anchored === undefined ? undefined : walk.nearest(anchored);
    if (!nearest) continue;
    const known = found.get(lesson.lesson_no);
    if (!known || isNearer(walk.graph, nearest, known)) found.set(lesson.lesson_no, { lesson, ...nearest });
  }
  return [...found.values()].sort(
    (one, other) =>
      Number(other.lesson.pinned) - Number(one.lesson.pinned) ||
      one.hops - other.hops ||
      (one.lesson.lesson_id < other.lesson.lesson_id ? -1 : 1),
  );
}

function isNearer(graph: CodeGraph, one: Nearby, other: Nearby): boolean {
  if (one.hops !== other.hops) return one.hops < other.hops;
  return exactness[graph.nodes[one.node]!.kind] > exactness[graph.nodes[other.node]!.kind];
}

function describeWalk(walk: Walk): Pick<NearAnswer, 'reached_nodes' | 'damped'> {
  return {
    reached_nodes: walk.reached.size,
    damped: walk.damped.map(({ node, degree }) => {
      const { id, path } = walk.graph.nodes[node]!;
      return { node_id: id, path, degree };
    }),
  };
}

function degraded(reason: NearAnswer['degraded']): NearAnswer {
  return { entries: [], reached_nodes: 0, damped: [], truncated: false, degraded: reason };
}

/** A timeout, a lost connection, missing resources (53, 57, 58), damaged data (XX) or a held lock (55P03). */
const isUnreadable = (error: unknown): boolean =>
  error instanceof DeadlineExceeded ||
  isConnectionFailure(error) ||
  /^(53|57|58|XX|55P03)/.test(errorCode(error) ?? '');
