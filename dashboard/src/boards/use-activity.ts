import { useCallback, useEffect, useRef, useState } from 'react';
import { type ActivityEntry, activityStream, listActivity } from '../api/boards.js';
import { ApiFault } from '../api/client.js';

const ACTIONS = [
  'task.created',
  'task.updated',
  'task.moved',
  'task.commented',
  'task.deleted',
  'board.created',
  'board.updated',
];
const RETRY_MS = 5000;

export interface Activity {
  entries: ActivityEntry[] | undefined;
  fault: ApiFault | undefined;
  live: boolean;
  /** Reads older entries; undefined when there are none. */
  readOlder: (() => void) | undefined;
}

/** The feed of a board: first what happened, then what happens, without a gap between the two. */
export function useActivity(boardId: string, onEntry: (entry: ActivityEntry) => void): Activity {
  const [entries, setEntries] = useState<ActivityEntry[]>();
  const [fault, setFault] = useState<ApiFault>();
  const [live, setLive] = useState(false);
  const [drained, setDrained] = useState(false);
  const cursor = useRef<string>(undefined);
  const tell = useRef(onEntry);
  tell.current = onEntry;

  useEffect(() => {
    const stop = new AbortController();
    let source: EventSource | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;

    function follow(since: string) {
      let last = since;
      source = new EventSource(activityStream(boardId, since));
      source.onopen = () => setLive(true);
      source.onerror = () => {
        setLive(false);
        // The browser reconnects by itself, except after a refusal.
        if (source?.readyState !== EventSource.CLOSED) return;
        retry = setTimeout(() => follow(last), RETRY_MS);
      };
      const receive = (event: MessageEvent<string>) => {
        last = event.lastEventId || last;
        const entry = JSON.parse(event.data) as ActivityEntry;
        setEntries((known = []) => merge([entry], known));
        tell.current(entry);
      };
      for (const action of ACTIONS) source.addEventListener(action, receive);
    }

    listActivity(boardId, undefined, stop.signal).then(
      (page) => {
        setEntries(page.items);
        cursor.current = page.next_cursor;
        follow(page.next_cursor);
      },
      (error) => {
        if (!stop.signal.aborted)
          setFault(error instanceof ApiFault ? error : new ApiFault(0, String(error)));
      },
    );
    return () => {
      stop.abort();
      source?.close();
      clearTimeout(retry);
    };
  }, [boardId]);

  const readOlder = useCallback(async () => {
    try {
      const page = await listActivity(boardId, cursor.current);
      cursor.current = page.next_cursor;
      if (page.items.length === 0) setDrained(true);
      setEntries((known = []) => merge(known, page.items));
    } catch (error) {
      setFault(error instanceof ApiFault ? error : new ApiFault(0, String(error)));
    }
  }, [boardId]);

  return { entries, fault, live, readOlder: drained ? undefined : () => void readOlder() };
}

/** Newest first, each once. */
function merge(first: ActivityEntry[], second: ActivityEntry[]): ActivityEntry[] {
  const seen = new Set(first.map(({ id }) => id));
  const all = [...first, ...second.filter(({ id }) => !seen.has(id))];
  return all.sort((a, b) => b.created_at.localeCompare(a.created_at));
}
