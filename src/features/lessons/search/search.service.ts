import { LRUCache } from 'lru-cache';
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
import { anchorRequired, invalidAnchor } from '../lessons.errors.js';
import type { FoundLesson, SearchAnswer, SearchQuery } from '../lessons.schemas.js';
import { type AnchorMatch, type LessonFilter, lessonStore } from '../records/lessons.store.js';

type MatchedBy = NonNullable<FoundLesson['matched_by']>;

interface Ranked {
  match: AnchorMatch;
  matchedBy: MatchedBy;
  /** Smaller is nearer: the anchor itself, symbols, then folders outward. */
  distance: number;
}

/** About so many letters. */
const MOST_REMEMBERED = 8_000_000;

interface Answer {
  answer: SearchAnswer;
  /** Of the project's code and lessons, at which it was found; null where it was not sought in one project. */
  version: string | null;
}

/** `entries/search`: lessons on, in and around one place. What was found in a project holds until its code or lessons change. */
export function createSearchService({ db, projects }: { db: Db; projects: ProjectService }) {
  const known = new LRUCache<string, Answer>({ maxSize: MOST_REMEMBERED, sizeCalculation: lettersOf });

  async function search(brandId: number, query: SearchQuery): Promise<SearchAnswer> {
    const key = JSON.stringify([brandId, query]);
    const remembered = known.get(key);
    if (remembered && query.project_id !== undefined) {
      const version = await lessonStore(db, brandId).readVersion(query.project_id);
      if (version === remembered.version) return remembered.answer;
    }
    const found = await find(brandId, query);
    if (found.version !== null) known.set(key, found);
    return found.answer;
  }

  async function find(brandId: number, query: SearchQuery): Promise<Answer> {
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
    const { chosen, total, hasLiveCode, version } = anchor
      ? await findAround(store, anchor, filter, { stale, limit })
      : await findStale(store, filter, limit);
    // Whoever finds a lesson of the project has one that is theirs.
    if (projectId !== null && total === 0) await projects.getProjectRow(brandId, projectId);
    const lessons = await store.readFull(chosen.map(({ lessonNo }) => lessonNo));
    const items = chosen.flatMap(({ lessonNo, matchedBy }) => {
      const lesson = lessons.get(lessonNo);
      return lesson ? [{ ...lesson, matched_by: matchedBy }] : [];
    });
    const answer = {
      query: {
        anchor: query.anchor ?? null,
        project_id: query.project_id ?? null,
        q: query.query ?? null,
        type: query.type ?? null,
        scope: query.scope ?? null,
        limit,
        stale,
      },
      total,
      items,
      warnings: projectId === null || hasLiveCode ? [] : [`${query.anchor} resolves to no live code`],
    };
    return { answer, version };
  }

  return { search };
}

type LessonStore = ReturnType<typeof lessonStore>;

interface Found {
  chosen: { lessonNo: number; matchedBy: MatchedBy | null }[];
  total: number;
  hasLiveCode: boolean;
  version: string | null;
}

const lettersOf = ({ answer }: Answer, key: string): number =>
  answer.items.reduce((sum, { body, title }) => sum + body.length + title.length + 500, key.length + 500);

async function findAround(
  store: LessonStore,
  anchor: Anchor,
  filter: LessonFilter,
  { stale, limit }: { stale: boolean; limit: number },
): Promise<Found> {
  const { matches, hasLiveCode, version } = await store.listMatches(filter, placesOf(anchor), stale);
  const ranked = rank(anchor, matches).sort(byNearness);
  const chosen = ranked
    .slice(0, limit)
    .map(({ match, matchedBy }) => ({ lessonNo: match.lesson_no, matchedBy }));
  return { chosen, total: ranked.length, hasLiveCode, version };
}

/** Wherever they are: how many there may be has no bound. */
async function findStale(store: LessonStore, filter: LessonFilter, limit: number): Promise<Found> {
  const { numbers, total, version } = await store.listStale(filter, limit);
  const chosen = numbers.map((lessonNo) => ({ lessonNo, matchedBy: null }));
  return { chosen, total, hasLiveCode: true, version };
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
