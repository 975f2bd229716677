import { useEffect, useReducer, useRef, useState } from 'react';
import { followLog } from '../../api/builds.js';
import { faultOf, type GuildhallError } from '../../api/client.js';
import { useSessionState } from '../../shell/session.js';
import type { LogBook } from './log-book.js';

const DRAW_MS = 80;
const RETRY_MS = 4_000;

export interface LiveLog {
  book: LogBook;
  state: 'connecting' | 'open' | 'lost';
  fault: GuildhallError | undefined;
}

/**
 * Streams the coder's log while it is visible. The page owns `book`, so returning to the log continues after
 * the last chunk. Reconnects without losing or repeating lines.
 */
export function useLog(buildId: string, book: LogBook): LiveLog {
  const { state: session } = useSessionState();
  const ended = session.kind === 'signed-in' && session.ended;
  const [state, setState] = useState<LiveLog['state']>('connecting');
  const [fault, setFault] = useState<GuildhallError>();
  const draw = useDrawing();

  useEffect(() => {
    if (ended || book.finished) return;
    const stop = new AbortController();
    void followForever(buildId, book, stop.signal, { draw, setState, setFault });
    return () => stop.abort();
  }, [buildId, book, ended, draw]);

  return { book, state, fault };
}

interface Watcher {
  draw(): void;
  setState(state: LiveLog['state']): void;
  setFault(fault: GuildhallError | undefined): void;
}

async function followForever(
  buildId: string,
  book: LogBook,
  signal: AbortSignal,
  { draw, setState, setFault }: Watcher,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const onState = (state: 'open' | 'lost') => {
        setState(state);
        setFault(undefined);
      };
      for await (const { data } of followLog(buildId, { after: book.last, signal, onState })) {
        book.add(data);
        draw();
      }
      book.finished = true;
      draw();
      return;
    } catch (error) {
      if (signal.aborted) return;
      const fault = faultOf(error);
      setState('lost');
      setFault(fault);
      // Client errors except 429 are permanent, so stop retrying.
      if (fault.status >= 400 && fault.status < 500 && fault.status !== 429) return;
      await pause(signal);
    }
  }
}

/** Waits for the retry delay or until the browser is back online. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, RETRY_MS);
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}

/** Throttles rendering: a coder can print faster than the page renders. */
function useDrawing(): () => void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const timer = useRef<number>(undefined);
  const draw = useRef(() => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      redraw();
    }, DRAW_MS);
  });
  useEffect(
    () => () => {
      window.clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return draw.current;
}
