import { useMemo } from 'react';
import { type Build, readDiff } from '../../api/builds.js';
import { GuildhallError } from '../../api/client.js';
import { type Resource, useResource } from '../../api/resource.js';
import { type DiffFile, parseDiff } from './diff.js';

/** The whole diff, or the names of its files where it is too large to be read at once. */
export type Diff = { kind: 'whole'; files: DiffFile[] } | { kind: 'named'; paths: string[]; bytes: number };

type Read = { text: string } | { paths: string[]; bytes: number };

const FRESH_MS = 10 * 60_000;

async function read(buildId: string, signal: AbortSignal): Promise<Read> {
  try {
    return { text: await readDiff(buildId, undefined, signal) };
  } catch (error) {
    const named = namesIn(error);
    if (!named) throw error;
    return named;
  }
}

function namesIn(error: unknown): { paths: string[]; bytes: number } | undefined {
  if (!(error instanceof GuildhallError) || error.status !== 413) return undefined;
  const { paths, actual_bytes } = error.detail as { paths?: string[]; actual_bytes?: number };
  return paths && { paths, bytes: actual_bytes ?? 0 };
}

/** Commits may be handed in again, so the diff is known by its head. */
export function useDiff(build: Build): Resource<Diff> {
  const key = build.head_sha ? `diff:${build.build_id}:${build.head_sha}` : null;
  const answer = useResource(key, (signal) => read(build.build_id, signal), { freshMs: FRESH_MS });
  const data = useMemo<Diff | undefined>(() => {
    if (!answer.data) return undefined;
    return 'text' in answer.data
      ? { kind: 'whole', files: parseDiff(answer.data.text) }
      : { kind: 'named', ...answer.data };
  }, [answer.data]);
  return { ...answer, data };
}

/** One file of a diff that is too large as a whole. */
export function useFileDiff(build: Build, path: string, wanted: boolean): Resource<DiffFile | null> {
  const key = wanted ? `diff:${build.build_id}:${build.head_sha}:${path}` : null;
  const answer = useResource(key, (signal) => readDiff(build.build_id, path, signal), { freshMs: FRESH_MS });
  const data = useMemo(
    () => (answer.data === undefined ? undefined : (parseDiff(answer.data)[0] ?? null)),
    [answer.data],
  );
  return { ...answer, data };
}
