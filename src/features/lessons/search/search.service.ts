import type { Db } from '../../../database/database.js';
import type { ProjectService } from '../../projects/projects.service.js';
import {
  type Anchor,
  anchorCandidates,
  enclosingSymbols,
  fileOfSymbol,
  foldersAround,
  isStorable,
  parseAnchor,
  placesAround,
} from '../files/anchors.js';
import { anchorRequired, invalidAnchor } from '../lessons.errors.js';
import type { FoundLesson, SearchAnswer, SearchQuery } from '../lessons.schemas.js';
import { type AnchorMatch, type LessonFilter, lessonStore } from '../lessons.store.js';
import { getProject } from '../required-project.js';

type MatchedBy = NonNullable<FoundLesson['matched_by']>;

interface Ranked {
  match: AnchorMatch;
  matchedBy: MatchedBy;
  /** Smaller is nearer: the anchor itself, symbols, then folders outward. */
  distance: number;
}

/** `entries/search`: lessons on, in and around one place. */
export function createSearchService({ db, projects }: { db: Db; projects: ProjectService }) {
  async function search(brandId: number, query: SearchQuery): Promise<SearchAnswer> {
    const { limit = 20, stale = false } = query;
    if (query.anchor === undefined && !stale) throw anchorRequired();
    const anchor = query.anchor === undefined ? undefined : parseAnchor(query.anchor);
    if (query.anchor !== undefined && !anchor) throw invalidAnchor('anchor');
    const projectId = query.project_id ?? null;
    const store = lessonStore(db, brandId);
    const filter = {
      projectId,
      type: query.type ?? null,
      scope: query.scope ?? null,
      words: (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, 50),
    };
    const { chosen, total, hasLiveCode } = anchor
      ? await findAround(store, anchor, filter, { stale, limit })
      : await findStale(store, filter, limit);
    // Whoever finds a lesson of the project has one that is theirs.
    if (projectId !== null && total === 0) await getProject(projects, brandId, projectId);
    const lessons = await store.readFull(chosen.map(({ lessonNo }) => lessonNo));
    const items = chosen.flatMap(({ lessonNo, matchedBy }) => {
      const lesson = lessons.get(lessonNo);
      return lesson ? [{ ...lesson, matched_by: matchedBy }] : [];
    });
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
      total,
      items,
      warnings: projectId === null || hasLiveCode ? [] : [`${query.anchor} resolves to no live code`],
    };
  }

  return { search };
}

type LessonStore = ReturnType<typeof lessonStore>;

interface Found {
  chosen: { lessonNo: number; matchedBy: MatchedBy | null }[];
  total: number;
  hasLiveCode: boolean;
}

async function findAround(
  store: LessonStore,
  anchor: Anchor,
  filter: LessonFilter,
  { stale, limit }: { stale: boolean; limit: number },
): Promise<Found> {
  const { matches, hasLiveCode } = await store.listMatches(filter, placesOf(anchor), stale);
  const ranked = rank(anchor, matches).sort(byNearness);
  const chosen = ranked
    .slice(0, limit)
    .map(({ match, matchedBy }) => ({ lessonNo: match.lesson_no, matchedBy }));
  return { chosen, total: ranked.length, hasLiveCode };
}

/** Wherever they are: how many there may be has no bound. */
async function findStale(store: LessonStore, filter: LessonFilter, limit: number): Promise<Found> {
  const { numbers, total } = await store.listStale(filter, limit);
  return { chosen: numbers.map((lessonNo) => ({ lessonNo, matchedBy: null })), total, hasLiveCode: true };
}

const placesOf = (anchor: Anchor) => ({
  paths: exactPlaces(anchor),
  ranges: nestedRanges(anchor),
  places: anchorCandidates(anchor).map(({ path }) => path),
});

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
  const judge = judgeFor(anchor);
  for (const match of matches) {
    const judged = judge(match.path);
    if (!judged) continue;
    const known = best.get(match.lesson_no);
    if (!known || judged.distance < known.distance) best.set(match.lesson_no, { match, ...judged });
  }
  return [...best.values()];
}

/** How a lesson at some place matches the anchor: on it, at its symbols, or around it. */
function judgeFor(anchor: Anchor) {
  const { kind, path } = anchor;
  const file = kind === 'symbol' ? fileOfSymbol(path) : path;
  const folders = new Map(foldersAround(file).map((folder, step) => [folder, step]));
  const enclosing = new Set(kind === 'symbol' ? [file, ...enclosingSymbols(path)] : []);
  const [nested] = nestedRanges(anchor);
  return (at: string): Pick<Ranked, 'matchedBy' | 'distance'> | undefined => {
    if (at === path || (kind === 'file' && at === `${path}/`)) return { matchedBy: 'anchor', distance: 0 };
    if (enclosing.has(at) || (nested && at.startsWith(nested.from)))
      return { matchedBy: 'symbol', distance: 1 };
    const steps = folders.get(at);
    return steps === undefined ? undefined : { matchedBy: 'folder', distance: 2 + steps };
  };
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
