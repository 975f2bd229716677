import { useMemo } from 'react';
import { type Build, type DiffStart, readDiff } from '../../api/builds.js';
import { GuildhallError } from '../../api/client.js';
import { type Resource, useResource } from '../../api/resource.js';
import { type DiffFile, parseDiff } from './diff.js';

/** The whole diff, or only the file names if it is too large to load at once. */
export type Diff = { kind: 'whole'; files: DiffFile[] } | { kind: 'named'; paths: string[]; bytes: number };

type Read = { text: string } | { paths: string[]; bytes: number };

const FRESH_MS = 10 * 60_000;

async function read(buildId: string, from: DiffStart, signal: AbortSignal): Promise<Read> {
  try {
    return { text: await readDiff(buildId, { from }, signal) };
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

/** The key includes the head commit because commits can be submitted again. */
export function useDiff(build: Build, from: DiffStart): Resource<Diff> {
  const key = build.head_sha ? `diff:${build.build_id}:${from}:${build.head_sha}` : null;
  const answer = useResource(key, (signal) => read(build.build_id, from, signal), { freshMs: FRESH_MS });
  const data = useMemo<Diff | undefined>(() => {
    if (!answer.data) return undefined;
    return 'text' in answer.data
      ? { kind: 'whole', files: parseDiff(answer.data.text) }
      : { kind: 'named', ...answer.data };
  }, [answer.data]);
  return { ...answer, data };
}

interface FileQuestion {
  from: DiffStart;
  path: string;
  wanted: boolean;
}

export function useFileDiff(build: Build, { from, path, wanted }: FileQuestion): Resource<DiffFile | null> {
  const key = wanted ? `diff:${build.build_id}:${from}:${build.head_sha}:${path}` : null;
  const answer = useResource(key, (signal) => readDiff(build.build_id, { from, path }, signal), {
    freshMs: FRESH_MS,
  });
  const data = useMemo(
    () => (answer.data === undefined ? undefined : (parseDiff(answer.data)[0] ?? null)),
    [answer.data],
  );
  return { ...answer, data };
}
