import { useSyncExternalStore } from 'react';
import { Note, Skeleton } from '../ui/feedback.js';

const RELOADED = 'guildhall:reloaded';
const AGAIN_MS = 3000;

/** Whether a page load is waiting for an unreachable service. */
let away = false;
const watchers = new Set<() => void>();

function setAway(value: boolean): void {
  if (away === value) return;
  away = value;
  for (const notify of watchers) notify();
}

const watch = (notify: () => void) => {
  watchers.add(notify);
  return () => watchers.delete(notify);
};

/**
 * Loads the code of a page. While the service is unreachable it waits, because a reload would show the
 * browser's error page. After an update the old files are gone, so it reloads the page once.
 */
export async function loadPage<M>(load: () => Promise<M>): Promise<M> {
  try {
    const module = await load();
    sessionStorage.removeItem(RELOADED);
    return module;
  } catch (error) {
    const waited = await waitUntilReachable();
    if (waited) return loadPage(load);
    if (sessionStorage.getItem(RELOADED)) throw error;
    sessionStorage.setItem(RELOADED, 'yes');
    location.reload();
    return new Promise(() => undefined);
  }
}

async function waitUntilReachable(): Promise<boolean> {
  let waited = false;
  while (!(await isReachable())) {
    waited = true;
    setAway(true);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  setAway(false);
  return waited;
}

const isReachable = (): Promise<boolean> =>
  fetch('/dashboard', { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  );

export function Opening() {
  const waits = useSyncExternalStore(watch, () => away);
  return (
    <div className="page opening">
      {waits ? (
        <div role="alert">
          <Note tone="warn">The service cannot be reached. This page opens as soon as it is back.</Note>
        </div>
      ) : (
        <Skeleton rows={5} />
      )}
    </div>
  );
}
