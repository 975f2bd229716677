import { type DestinationStream, pino } from 'pino';

export interface GatheredLines extends DestinationStream {
  /** Whatever has been gathered is written before it returns. */
  flushSync(): void;
}

/** So many characters are written together. */
const WRITTEN_AT_ONCE = 12_288;
const LONGEST_WAIT_MS = 500;
/** What another thread is writing is written by then, unless nobody reads it. */
const UNDER_WAY_MS = 200;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Lines are gathered and written together, so that a request does not wait for the log. The stream below could gather them too, but
 * counts everything it holds again with each line.
 */
export function gatherLines(file: string | number = 1): GatheredLines {
  const stream = pino.destination({ dest: file, sync: false, minLength: WRITTEN_AT_ONCE });
  let lines: string[] = [];
  let length = 0;
  let underWay = 0;
  stream.on('write', (bytes: number) => {
    underWay -= bytes;
  });

  const handOver = () => {
    if (length === 0) return;
    const text = lines.join('');
    lines = [];
    length = 0;
    underWay += Buffer.byteLength(text);
    stream.write(text);
  };
  /** What is flushed is written at once, and would come before what another thread has in hand. */
  const letPass = () => {
    if (underWay > 0) Atomics.wait(pause, 0, 0, UNDER_WAY_MS);
    handOver();
  };
  const writeAll = () => {
    handOver();
    stream.flush();
  };
  setInterval(writeAll, LONGEST_WAIT_MS).unref();
  // Before the stream's own listener, which writes what it was given.
  process.prependListener('exit', letPass);

  return {
    write(line) {
      lines.push(line);
      length += line.length;
      if (length >= WRITTEN_AT_ONCE) handOver();
    },
    flushSync() {
      letPass();
      stream.flushSync();
    },
  };
}
