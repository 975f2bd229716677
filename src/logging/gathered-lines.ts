import { type DestinationStream, pino } from 'pino';

export interface GatheredLines extends DestinationStream {
  /** Whatever has been gathered is written before it returns. */
  flushSync(): void;
}

/** So many characters are written together. */
const WRITTEN_AT_ONCE = 12_288;
const LONGEST_WAIT_MS = 500;

/**
 * Lines are gathered and written together, so that a request does not wait for the log. The stream below could gather them too, but
 * counts everything it holds again with each line.
 */
export function gatherLines(file: string | number = 1): GatheredLines {
  const stream = pino.destination({ dest: file, sync: false, minLength: WRITTEN_AT_ONCE });
  let lines: string[] = [];
  let length = 0;

  const handOver = () => {
    if (length === 0) return;
    stream.write(lines.join(''));
    lines = [];
    length = 0;
  };
  const writeAll = () => {
    handOver();
    stream.flush();
  };
  setInterval(writeAll, LONGEST_WAIT_MS).unref();
  // Before the stream's own listener, which writes what it was given.
  process.prependListener('exit', handOver);

  return {
    write(line) {
      lines.push(line);
      length += line.length;
      if (length >= WRITTEN_AT_ONCE) handOver();
    },
    flushSync() {
      handOver();
      stream.flushSync();
    },
  };
}
