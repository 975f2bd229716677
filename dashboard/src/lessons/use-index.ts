import { useEffect } from 'react';
import { followIndex, type IndexState, readIndex } from '../api/lessons.js';
import { putResource, type Resource, refresh, useResource } from '../api/resource.js';

const SETTLED_POLL_MS = 30_000;
/** Fallback polling when the event stream cannot be opened. */
const RUNNING_POLL_MS = 4000;

export const isRunning = (state: IndexState | undefined): boolean =>
  state?.status === 'queued' || state?.status === 'running';

/** Resources that an index run changes. */
const AFTER = ['lessons:', 'tree:', 'graph:', 'near:', 'lesson:', 'lesson-counts:', 'lesson-titles:'];

/** The latest index run, live while it runs; dependent resources refresh when it ends. */
export function useIndex(projectId: string, attached: boolean): Resource<IndexState> {
  const key = `index:${projectId}`;
  const index = useResource(attached ? key : null, (signal) => readIndex(projectId, signal), {
    pollMs: SETTLED_POLL_MS,
  });
  const running = isRunning(index.data);
  useEffect(() => {
    if (!running) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setInterval> | undefined;
    async function follow() {
      try {
        for await (const { data } of followIndex(projectId, { signal: stop.signal }))
          putResource<IndexState>(key, () => data);
        refresh(key);
      } catch {
        if (!stop.signal.aborted) timer = setInterval(() => refresh(key), RUNNING_POLL_MS);
      }
    }
    void follow();
    return () => {
      stop.abort();
      clearInterval(timer);
      for (const beginning of AFTER) refresh(beginning);
    };
  }, [running, projectId, key]);
  return index;
}
