import { useEffect, useState } from 'react';
import { followInbox } from '../api/inbox.js';
import { refresh } from '../api/resource.js';
import { useSessionState } from '../shell/session.js';

const AGAIN_MS = 5000;

/** The number of unread items, updated live; each update also refreshes the visible lists. */
export function useUnread(): number {
  const { state } = useSessionState();
  const [unread, setUnread] = useState(0);
  const signedIn = state.kind === 'signed-in' && !state.ended;
  useEffect(() => {
    if (!signedIn) return;
    const stop = new AbortController();
    void follow(stop.signal, (count) => {
      setUnread(count);
      refresh('inbox:');
    });
    return () => stop.abort();
  }, [signedIn]);
  return unread;
}

/** The client reconnects on its own; this restarts the stream after the service has closed it. */
async function follow(signal: AbortSignal, notify: (unread: number) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { data } of followInbox(signal)) notify(data.unread);
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
