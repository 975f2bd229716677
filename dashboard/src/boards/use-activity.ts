import { useCallback, useEffect, useRef, useState } from 'react';
import { type ActivityEntry, followActivity, listActivity } from '../api/boards.js';
import { faultOf, type GuildhallError } from '../api/client.js';

const RETRY_MS = 5000;

export interface Activity {
  entries: ActivityEntry[] | undefined;
  fault: GuildhallError | undefined;
  live: boolean;
  /** Loads older entries; undefined when there are no more. */
  readOlder: (() => void) | undefined;
}

/** A board's activity: the history first, then live entries, without a gap between them. */
export function useActivity(boardId: string, onEntry: (entry: ActivityEntry) => void): Activity {
  const [entries, setEntries] = useState<ActivityEntry[]>();
  const [fault, setFault] = useState<GuildhallError>();
  const [live, setLive] = useState(false);
  const [drained, setDrained] = useState(false);
  const cursor = useRef<string>(undefined);
  const listener = useRef(onEntry);
  listener.current = onEntry;

  useEffect(() => {
    const stop = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;

    async function follow(since: string) {
      let last = since;
      const onState = (state: 'open' | 'lost') => setLive(state === 'open');
      try {
        for await (const { id, data } of followActivity(boardId, since, { signal: stop.signal, onState })) {
          last = id ?? last;
          setEntries((known = []) => merge([data], known));
          listener.current(data);
        }
      } catch {
        if (stop.signal.aborted) return;
        // The stream reconnects on its own after a lost connection, so this error is a refusal.
        setLive(false);
        retry = setTimeout(() => void follow(last), RETRY_MS);
      }
    }

    async function begin() {
      try {
        const page = await listActivity(boardId, undefined, stop.signal);
        setFault(undefined);
        setEntries(page.items);
        cursor.current = page.next_cursor;
        void follow(page.next_cursor);
      } catch (error) {
        if (stop.signal.aborted) return;
        setFault(faultOf(error));
        // Retry: without the feed, the cards of this board would never update.
        retry = setTimeout(() => void begin(), RETRY_MS);
      }
    }

    void begin();
    return () => {
      stop.abort();
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
      setFault(faultOf(error));
    }
  }, [boardId]);

  return { entries, fault, live, readOlder: drained ? undefined : () => void readOlder() };
}

/** Newest first, without duplicates. */
function merge(first: ActivityEntry[], second: ActivityEntry[]): ActivityEntry[] {
  const seen = new Set(first.map(({ id }) => id));
  const all = [...first, ...second.filter(({ id }) => !seen.has(id))];
  return all.sort((a, b) => b.created_at.localeCompare(a.created_at));
}
