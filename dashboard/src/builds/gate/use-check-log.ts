import { useEffect, useReducer, useRef, useState } from 'react';
import { type BuildLogChunk, readCheckLog } from '../../api/builds.js';
import { faultOf, type GuildhallError } from '../../api/client.js';
import { LogBook } from '../log/log-book.js';

const POLL_MS = 1_500;

export interface CheckLog {
  book: LogBook;
  fault: GuildhallError | undefined;
}

export function useCheckLog(buildId: string, name: string): CheckLog {
  const reader = useRef<Reader>(undefined);
  reader.current ??= new Reader(buildId, name);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [fault, setFault] = useState<GuildhallError>();

  useEffect(() => {
    const stop = new AbortController();
    let timer: number | undefined;
    const read = async (): Promise<void> => {
      let more = false;
      try {
        more = await reader.current!.readOn(stop.signal);
        setFault(undefined);
        redraw();
      } catch (error) {
        if (stop.signal.aborted) return;
        const refused = faultOf(error);
        setFault(refused);
        // Client errors except 429 are permanent, so stop polling.
        if (refused.status >= 400 && refused.status < 500 && refused.status !== 429) return;
      }
      const over = reader.current!.book.finished || stop.signal.aborted;
      if (!over) timer = window.setTimeout(read, more ? 0 : POLL_MS);
    };
    void read();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, []);

  return { book: reader.current.book, fault };
}

/**
 * An interrupted check restarts with a new log that reuses the sequence numbers. So each read requests the
 * last chunk again; if it differs, the log belongs to a new run.
 */
class Reader {
  book = new LogBook();
  #last: BuildLogChunk | undefined;
  readonly #buildId: string;
  readonly #name: string;

  constructor(buildId: string, name: string) {
    this.#buildId = buildId;
    this.#name = name;
  }

  /** Returns whether more chunks may be available. */
  async readOn(signal: AbortSignal): Promise<boolean> {
    const known = this.#last;
    const page = await readCheckLog(this.#buildId, this.#name, known ? known.seq - 1 : 0, signal);
    const [first] = page.chunks;
    if (known && (first?.seq !== known.seq || first.at !== known.at)) {
      this.book = new LogBook();
      this.#last = undefined;
      return true;
    }
    for (const chunk of page.chunks) this.book.add(chunk);
    this.#last = page.chunks.at(-1);
    this.book.finished = page.finished;
    return page.chunks.length > (known ? 1 : 0);
  }
}
