import { ApiError } from '../../kernel/errors.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { IndexNews } from './project-indexer.js';
import { INDEX_CHANNEL } from './project-refresh.js';
import type { IndexView } from './projects.schemas.js';

/** Published by the identity feature whenever somebody may do more or less than before. */
const IDENTITY_CHANNEL = 'guildhall_identity';
/** Tokens also end by the clock, and of that nobody tells. */
const ASK_AGAIN_MS = 15_000;

interface Following {
  notifications: Notifications;
  projectId: string;
  signal: AbortSignal;
  /** Whether the credential that opened the stream is still good. */
  holdsStill(): Promise<boolean>;
  read(): Promise<IndexView>;
}

/** Every change of the newest pass until it is over. */
export async function* followIndex(following: Following): AsyncGenerator<IndexView> {
  const { holdsStill, read } = following;
  const news = openNews(following);
  let told = '';
  try {
    do {
      // A stream outlives the request's own check, so it asks again before it tells more.
      if (!(await holdsStill())) return;
      const view = await read();
      const text = JSON.stringify(view);
      if (text !== told) yield view;
      told = text;
      if (view.status === 'ready' || view.status === 'failed') return;
    } while (await news.next());
  } catch (error) {
    // The project has gone: the stream ends with it.
    if (!(error instanceof ApiError)) throw error;
  } finally {
    news.close();
  }
}

/** Waits for news of one project; several at once count as one. */
function openNews({ notifications, projectId, signal }: Following) {
  let rung = false;
  let wake = () => {};
  const ring = () => {
    rung = true;
    wake();
  };
  const unsubscribe = [
    notifications.subscribe<IndexNews>(INDEX_CHANNEL, ({ project_id }) => {
      if (project_id === projectId) ring();
    }),
    notifications.subscribe(IDENTITY_CHANNEL, ring),
    notifications.onGap(ring),
  ];
  const timer = setInterval(ring, ASK_AGAIN_MS).unref();
  signal.addEventListener('abort', ring, { once: true });
  return {
    /** False when the listener has gone. */
    async next(): Promise<boolean> {
      if (!rung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      rung = false;
      return !signal.aborted;
    },
    close() {
      clearInterval(timer);
      signal.removeEventListener('abort', ring);
      for (const stop of unsubscribe) stop();
      wake();
    },
  };
}
