import { LRUCache } from 'lru-cache';
import type { FileMove, LineShift } from '../../projects/index.js';
import { lineBeyondEnd, lineNeedsPath, nothingToCommentOn, unknownPath } from '../builds.errors.js';
import type { BuildCommits } from '../commits/commits.service.js';
import type { BuildRow } from '../record/builds.store.js';
import type { NewComment } from '../review.schemas.js';
import type { CommentRow } from './comments.store.js';

export interface Place {
  path: string;
  line: number | null;
}

export function mapPlace({ path, line }: Place, move: FileMove | undefined): Place | undefined {
  if (!move) return { path, line };
  if (move.path === null) return undefined;
  if (line === null) return { path: move.path, line };
  const mapped = mapLine(move.shifts, line);
  return mapped === undefined ? undefined : { path: move.path, line: mapped };
}

/** A replaced line counts as removed, even if its text is the same. */
function mapLine(shifts: readonly LineShift[], line: number): number | undefined {
  let offset = 0;
  for (const { oldStart, oldCount, newCount } of shifts) {
    // For a pure insertion, git names the line before it.
    const first = oldCount === 0 ? oldStart + 1 : oldStart;
    if (line < first) break;
    if (line < first + oldCount) return undefined;
    offset += newCount - oldCount;
  }
  return line + offset;
}

/** The target of a comment: a line, a file, or the whole build without a path. */
export interface CommentTarget {
  path: string | null;
  line: number | null;
  side: 'old' | 'new';
  commit_sha: string | null;
  context: string | null;
}

export interface Placed extends Pick<CommentRow, 'path' | 'line'> {
  outdated: boolean;
}

const LINES_OF_CONTEXT = 3;
const LONGEST_CONTEXT = 2000;
const LARGEST_MEMORY = 200_000;
const UNTOUCHED: FileMove = { path: '', shifts: [] };

export function createCommentPlaces({ commits }: { commits: BuildCommits }) {
  /** Cached without expiry, because commits never change. */
  const known = new LRUCache<string, FileMove>({
    maxSize: LARGEST_MEMORY,
    sizeCalculation: ({ shifts }) => 1 + shifts.length,
  });

  /** Undefined when the commits cannot be read now. */
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
    async findTarget(
      build: BuildRow,
      { path, line, side = 'new' }: Pick<NewComment, 'path' | 'line' | 'side'>,
    ): Promise<CommentTarget> {
      if (path === undefined) {
        if (line !== undefined) throw lineNeedsPath();
        return { path: null, line: null, side, commit_sha: null, context: null };
      }
      if (build.head_sha === null) throw nothingToCommentOn();
      const last = line ?? 0;
      const range = { first: Math.max(1, last - LINES_OF_CONTEXT), last };
      const found =
        (await commits.readLines(build, side, path, range)) ??
        // The build may have removed the file.
        (line === undefined ? await commits.readLines(build, 'old', path, range) : undefined);
      if (!found) throw unknownPath();
      if (last > found.total) throw lineBeyondEnd(found.total);
      const context = found.lines.join('\n').slice(0, LONGEST_CONTEXT).toWellFormed();
      return { path, line: line ?? null, side, commit_sha: build.head_sha, context: line ? context : null };
    },

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

/** All attempts share the base, so line numbers on the old side stay valid. */
function follow({ path, line, side }: CommentRow, moves: Map<string, FileMove> | undefined): Placed {
  const move = moves?.get(path!);
  if (side === 'old') return { path: move?.path ?? path, line, outdated: false };
  const place: Place | undefined = moves && mapPlace({ path: path!, line }, move);
  return place ? { ...place, outdated: false } : { path, line, outdated: true };
}

export type CommentPlaces = ReturnType<typeof createCommentPlaces>;
