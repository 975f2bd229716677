import type { Db } from '../../database/database.js';
import type { ProjectRow, ProjectService } from '../projects/projects.service.js';
import type { AnchoredMemory } from './anchored-memory.js';
import {
  type Anchor,
  anchorCandidates,
  enclosingSymbols,
  fileOfSymbol,
  foldersAround,
  isStorable,
  parseAnchor,
  placesAround,
} from './anchors.js';
import { anchorRequired, invalidAnchor, projectNotFound } from './lessons.errors.js';
import type {
  FullLesson,
  LookupAnswer,
  LookupQuestion,
  SearchAnswer,
  SearchQuery,
} from './lessons.schemas.js';
import { type AnchoredLesson, type AnchorMatch, lessonStore } from './lessons.store.js';

type MatchedBy = NonNullable<FullLesson['matched_by']>;

interface Ranked {
  match: AnchorMatch;
  matchedBy: MatchedBy | null;
  /** Smaller is nearer: the anchor itself, symbols, then folders outward. */
  distance: number;
}

const TOP_PER_NODE = 5;

export interface SearchDeps {
  db: Db;
  projects: ProjectService;
  anchored: AnchoredMemory;
}

/** `entries/search` and `anchors:lookup`: lessons by the place they are anchored to. */
export function createSearchService({ db, projects, anchored: memory }: SearchDeps) {
  async function requireProject(brandId: number, projectId: string): Promise<ProjectRow> {
    const project = await projects.findProject(brandId, projectId.toLowerCase());
    if (!project) throw projectNotFound();
    return project;
  }

  async function search(brandId: number, query: SearchQuery): Promise<SearchAnswer> {
    const { limit = 20, stale = false } = query;
    if (query.anchor === undefined && !stale) throw anchorRequired();
    const anchor = query.anchor === undefined ? undefined : parseAnchor(query.anchor);
    if (query.anchor !== undefined && !anchor) throw invalidAnchor('anchor');
    const projectId =
      query.project_id === undefined ? null : (await requireProject(brandId, query.project_id)).project_id;
    const store = lessonStore(db, brandId);
    const filter = {
      projectId,
      type: query.type ?? null,
      scope: query.scope ?? null,
      words: (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, 50),
    };
    const ranked = anchor
      ? rank(anchor, await store.listMatches(filter, exactPlaces(anchor), nestedRanges(anchor), stale))
      : (await store.listStale(filter)).map((match): Ranked => ({ match, matchedBy: null, distance: 0 }));
    ranked.sort(byNearness);
    const chosen = ranked.slice(0, limit);
    const lessons = await store.readFull(chosen.map(({ match }) => match.lesson_no));
    const items = chosen.flatMap(({ match, matchedBy }) => {
      const lesson = lessons.get(match.lesson_no);
      return lesson ? [{ ...lesson, matched_by: matchedBy }] : [];
    });
    const places = anchor && anchorCandidates(anchor).map(({ path }) => path);
    const isKnown = !places || projectId === null || (await store.hasLiveCode(projectId, places));
    return {
      query: {
        anchor: query.anchor ?? null,
        project_id: query.project_id ?? null,
        q: query.q ?? null,
        type: query.type ?? null,
        scope: query.scope ?? null,
        limit,
        stale,
      },
      total: ranked.length,
      items,
      warnings: isKnown ? [] : [`${query.anchor} resolves to no live code`],
    };
  }

  async function lookUp(brandId: number, question: LookupQuestion): Promise<LookupAnswer> {
    const project = await requireProject(brandId, question.project_id);
    const store = lessonStore(db, brandId);
    const [nodes, anchored] = await Promise.all([
      store.findNodes(project.project_id, [...new Set(question.node_ids.map((id) => id.toLowerCase()))]),
      memory.list(project),
    ]);
    const found = question.match === 'exact' ? onNodes(nodes, anchored) : underNodes(nodes, anchored);
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

  return { search, lookUp };
}

/** Places whose lessons match an anchor exactly or from around it. */
function exactPlaces(anchor: Anchor): string[] {
  const { kind, path } = anchor;
  const asFolder = kind === 'file' ? [`${path}/`] : [];
  return [path, ...asFolder, ...placesAround(anchor)].filter(isStorable);
}

/** Symbols of a file, or inside a symbol, as ranges of paths: `$` follows `#`, and `/` follows `.`. */
function nestedRanges({ kind, path }: Anchor): { from: string; before: string }[] {
  if (kind === 'folder') return [];
  return kind === 'file'
    ? [{ from: `${path}#`, before: `${path}$` }]
    : [{ from: `${path}.`, before: `${path}/` }];
}

/** The best match of each lesson. */
function rank(anchor: Anchor, matches: readonly AnchorMatch[]): Ranked[] {
  const best = new Map<number, Ranked>();
  const folders = foldersAround(anchor.kind === 'symbol' ? fileOfSymbol(anchor.path) : anchor.path);
  const steps = new Map(folders.map((folder, step) => [folder, step]));
  for (const match of matches) {
    const judged = judge(anchor, match.path, steps);
    if (!judged) continue;
    const known = best.get(match.lesson_no);
    if (!known || judged.distance < known.distance) best.set(match.lesson_no, { match, ...judged });
  }
  return [...best.values()];
}

function judge(
  { kind, path }: Anchor,
  at: string,
  folders: ReadonlyMap<string, number>,
): Pick<Ranked, 'matchedBy' | 'distance'> | undefined {
  if (at === path || (kind === 'file' && at === `${path}/`)) return { matchedBy: 'anchor', distance: 0 };
  const isSymbol =
    kind === 'symbol'
      ? at === fileOfSymbol(path) || at.startsWith(`${path}.`) || enclosingSymbols(path).includes(at)
      : kind === 'file' && at.startsWith(`${path}#`);
  if (isSymbol) return { matchedBy: 'symbol', distance: 1 };
  const steps = folders.get(at);
  return steps === undefined ? undefined : { matchedBy: 'folder', distance: 2 + steps };
}

function byNearness(one: Ranked, other: Ranked): number {
  return (
    Number(other.match.pinned) - Number(one.match.pinned) ||
    one.distance - other.distance ||
    (one.match.lesson_id < other.match.lesson_id
      ? -1
      : one.match.lesson_id > other.match.lesson_id
        ? 1
        : one.match.lesson_no - other.match.lesson_no)
  );
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
function underNodes(nodes: readonly AskedNode[], anchored: readonly AnchoredLesson[]): FoundLessons {
  const found = onNodes(nodes, anchored);
  const byPlace = new Map<string, string[]>();
  for (const { node_id, path, live } of nodes) {
    const key = `${live} ${path}`;
    byPlace.set(key, [...(byPlace.get(key) ?? []), node_id]);
  }
  for (const lesson of anchored) {
    for (const place of placesAround(lesson)) {
      for (const nodeId of byPlace.get(`${lesson.live} ${place}`) ?? []) note(found, nodeId, lesson);
    }
  }
  return found;
}
