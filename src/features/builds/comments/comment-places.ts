import { LRUCache } from 'lru-cache';
import type { FileMove } from '../../projects/index.js';
import type { BuildCommits } from '../commits/commits.service.js';
import type { Spot } from '../record/builds.parts.js';
import type { BuildRow } from '../record/builds.store.js';
import { lineBeyondEnd, lineNeedsPath, nothingToCommentOn, unknownPath } from './comments.errors.js';
import type { NewComment } from './comments.schemas.js';
import type { CommentRow } from './comments.store.js';
import { mapPlace, type Place } from './line-mapping.js';

export interface Placed extends Pick<CommentRow, 'path' | 'line'> {
  outdated: boolean;
}

/** Before the line itself. */
const LINES_OF_CONTEXT = 3;
const LONGEST_CONTEXT = 2000;
/** In pieces of changed files, which are small. */
const LARGEST_MEMORY = 200_000;
const UNTOUCHED: FileMove = { path: '', shifts: [] };

/** Where comments stand: in the build they were made on, and in every attempt that goes on from it. */
export function createCommentPlaces({ commits }: { commits: Pick<BuildCommits, 'readLines' | 'readMoves'> }) {
  /** Commits never change, so what became of a file between two of them is known for good. */
  const known = new LRUCache<string, FileMove>({
    maxSize: LARGEST_MEMORY,
    sizeCalculation: ({ shifts }) => 1 + shifts.length,
  });

  /** Undefined where the commits cannot be read now. */
  async function findMoves(
    build: BuildRow,
    from: string,
    paths: ReadonlySet<string>,
  ): Promise<Map<string, FileMove> | undefined> {
    const keyOf = (path: string) => `${build.project_id} ${from} ${build.head_sha ?? build.base_sha} ${path}`;
    const asked = [...paths].filter((path) => !known.has(keyOf(path)));
    const read =
      asked.length === 0 ? new Map<string, FileMove>() : await commits.readMoves(build, from, asked);
    if (!read) return undefined;
    for (const path of asked) known.set(keyOf(path), read.get(path) ?? UNTOUCHED);
    const moves = new Map<string, FileMove>();
    for (const path of paths) {
      const move = read.get(path) ?? known.get(keyOf(path));
      if (move && move !== UNTOUCHED) moves.set(path, move);
    }
    return moves;
  }

  return {
    /** The place that somebody names, refused where the build has none such. */
    async findSpot(
      build: BuildRow,
      { path, line, side = 'new' }: Pick<NewComment, 'path' | 'line' | 'side'>,
    ): Promise<Spot> {
      if (path === undefined) {
        if (line !== undefined) throw lineNeedsPath();
        return { path: null, line: null, side, commit_sha: null, context: null };
      }
      if (build.head_sha === null) throw nothingToCommentOn();
      const last = line ?? 0;
      const range = { first: Math.max(1, last - LINES_OF_CONTEXT), last };
      const found =
        (await commits.readLines(build, side, path, range)) ??
        // A file as a whole may be one that was removed.
        (line === undefined ? await commits.readLines(build, 'old', path, range) : undefined);
      if (!found) throw unknownPath();
      if (last > found.total) throw lineBeyondEnd(found.total);
      const context = found.lines.join('\n').slice(0, LONGEST_CONTEXT).toWellFormed();
      return { path, line: line ?? null, side, commit_sha: build.head_sha, context: line ? context : null };
    },

    /** Where the threads stand in a build, by their first comments. */
    async place(build: BuildRow, threads: readonly CommentRow[]): Promise<Map<string, Placed>> {
      const now = build.head_sha ?? build.base_sha;
      const wanted = new Map<string, Set<string>>();
      for (const { path, commit_sha } of threads)
        if (path !== null && commit_sha !== null && commit_sha !== now)
          wanted.set(commit_sha, (wanted.get(commit_sha) ?? new Set()).add(path));
      const moves = new Map<string, Map<string, FileMove> | undefined>();
      for (const [from, paths] of wanted) moves.set(from, await findMoves(build, from, paths));
      return new Map(
        threads.map((thread) => [
          thread.comment_id,
          thread.commit_sha !== null && moves.has(thread.commit_sha)
            ? follow(thread, moves.get(thread.commit_sha))
            : { path: thread.path, line: thread.line, outdated: false },
        ]),
      );
    },
  };
}

/** The base is the same for all attempts that go on from each other: its lines stay, whatever their file is called now. */
function follow({ path, line, side }: CommentRow, moves: Map<string, FileMove> | undefined): Placed {
  const move = moves?.get(path!);
  if (side === 'old') return { path: move?.path ?? path, line, outdated: false };
  const place: Place | undefined = moves && mapPlace({ path: path!, line }, move);
  return place ? { ...place, outdated: false } : { path, line, outdated: true };
}

export type CommentPlaces = ReturnType<typeof createCommentPlaces>;
