import { CursorCodec } from '../../../kernel/cursor.js';
import type { Db } from '../../../platform/database/database.js';
import type { ProjectService } from '../../projects/index.js';
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
import { anchorRequired, invalidAnchor, notACursor } from '../lessons.errors.js';
import type { FoundLesson, ListAnswer, ListQuery, SearchAnswer, SearchQuery } from '../lessons.schemas.js';
import { type AnchorMatch, type LessonFilter, lessonStore } from '../records/lessons.store.js';

type MatchedBy = NonNullable<FoundLesson['matched_by']>;

interface Ranked {
  match: AnchorMatch;
  matchedBy: MatchedBy;
  /** Lower is closer: the anchor itself, symbols, then folders outward. */
  distance: number;
}

/** Searches lessons at a place in the code, and lists the lessons of a project. */
export function createSearchService({
  db,
  projects,
  cursorSecret,
}: {
  db: Db;
  projects: ProjectService;
  cursorSecret: string;
}) {
  return {
    async search(brandId: number, query: SearchQuery): Promise<SearchAnswer> {
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
        words: (query.query ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, 50),
      };
      const { chosen, total, hasLiveCode } = anchor
        ? await findAround(store, anchor, filter, { stale, limit })
        : await findStale(store, filter, limit);
      // A found lesson proves that the project exists, so check only when there is no result.
      if (projectId !== null && total === 0) await projects.getProjectRow(brandId, projectId);
      const lessons = await store.readFull(chosen.map(({ lessonNo }) => lessonNo));
      return {
        query: {
          anchor: query.anchor ?? null,
          project_id: projectId,
          q: query.query ?? null,
          type: filter.type,
          scope: filter.scope,
          limit,
          stale,
        },
        total,
        items: chosen.flatMap(({ lessonNo, matchedBy }) => {
          const lesson = lessons.get(lessonNo);
          return lesson ? [{ ...lesson, matched_by: matchedBy }] : [];
        }),
        warnings: projectId === null || hasLiveCode ? [] : [`${query.anchor} resolves to no live code`],
      };
    },

    async listLessons(brandId: number, query: ListQuery): Promise<ListAnswer> {
      const { project_id: projectId } = await projects.getProjectRow(brandId, query.project_id);
      const { prefix = null, type = null, stale = null, limit = 50 } = query;
      const cursors = new CursorCodec(cursorSecret, `lessons:${projectId}`);
      const after = query.cursor === undefined ? null : cursors.decode(query.cursor);
      if (after !== null && typeof after !== 'string') throw notACursor();
      const store = lessonStore(db, brandId);
      const { page, total } = await store.listPage({ projectId, prefix, type, stale }, after, limit + 1);
      const shown = page.slice(0, limit);
      const lessons = await store.readFull(shown.map((row) => row.lesson_no));
      return {
        items: shown.flatMap((row) => lessons.get(row.lesson_no) ?? []),
        total,
        next_cursor: page.length > limit ? cursors.encode(shown.at(-1)!.lesson_id) : null,
      };
    },

    findLessonsByWords: (brandId: number, text: string, limit: number) =>
      lessonStore(db, brandId).findByWords(text, limit),
  };
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
  const [matches, hasLiveCode] = await Promise.all([
    store.listMatches(filter, { paths: exactPlaces(anchor), ranges: nestedRanges(anchor) }, stale),
    filter.projectId !== null &&
      store.hasLiveCode(
        filter.projectId,
        anchorCandidates(anchor).map(({ path }) => path),
      ),
  ]);
  const ranked = rank(anchor, matches).sort(byNearness);
  const chosen = ranked
    .slice(0, limit)
    .map(({ match, matchedBy }) => ({ lessonNo: match.lesson_no, matchedBy }));
  return { chosen, total: ranked.length, hasLiveCode };
}

async function findStale(store: LessonStore, filter: LessonFilter, limit: number): Promise<Found> {
  const { numbers, total } = await store.listStale(filter, limit);
  const chosen = numbers.map((lessonNo) => ({ lessonNo, matchedBy: null }));
  return { chosen, total, hasLiveCode: true };
}

/** Paths of anchors that match exactly, or of a folder or symbol around the place. */
function exactPlaces(anchor: Anchor): string[] {
  const { kind, path } = anchor;
  const asFolder = kind === 'file' ? [`${path}/`] : [];
  return [path, ...asFolder, ...placesAround(anchor)].filter(isStorable);
}

/** Symbols in a file or symbol, as ranges of paths: in ASCII `$` follows `#`, and `/` follows `.`. */
function nestedRanges({ kind, path }: Anchor): { from: string; before: string }[] {
  if (kind === 'folder') return [];
  return kind === 'file'
    ? [{ from: `${path}#`, before: `${path}$` }]
    : [{ from: `${path}.`, before: `${path}/` }];
}

/** The best match of each lesson. */
function rank(anchor: Anchor, matches: readonly AnchorMatch[]): Ranked[] {
  const best = new Map<number, Ranked>();
  const matchPath = matcherFor(anchor);
  for (const match of matches) {
    const found = matchPath(match.path);
    if (!found) continue;
    const known = best.get(match.lesson_no);
    if (!known || found.distance < known.distance) best.set(match.lesson_no, { match, ...found });
  }
  return [...best.values()];
}

/** Returns how a lesson at a path matches the anchor. */
function matcherFor(anchor: Anchor) {
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
