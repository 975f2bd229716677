import type { GitRun } from '../git/git-program.js';

type Run = (args: readonly string[], options?: GitRun) => Promise<Buffer>;

export interface FileLines {
  /** Of the whole file. */
  total: number;
  lines: string[];
}

/** In bytes; more of a line is not shown. */
const LONGEST_LINE = 4000;
const LINE_FEED = 10;

/** Some lines of a file in a commit, by their numbers from 1; undefined when it has no such file. */
export async function readLines(
  run: Run,
  commit: string,
  path: string,
  { first, last }: { first: number; last: number },
): Promise<FileLines | undefined> {
  const [entry = ''] = (await run(['ls-tree', '-z', '--full-tree', commit, '--', path]))
    .toString('utf8')
    .split('\0');
  const [, blob, name] = /^\d+ blob ([0-9a-f]+)\t([\s\S]+)$/.exec(entry) ?? [];
  if (!blob || name !== path) return undefined;
  const lines: string[] = [];
  let number = 1;
  let line = Buffer.alloc(0);
  let begun = false;
  const end = () => {
    if (number >= first && number <= last) lines.push(line.toString('utf8').toWellFormed());
    line = Buffer.alloc(0);
    begun = false;
    number += 1;
  };
  await run(['cat-file', 'blob', blob], {
    onOutput(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const stop = chunk.indexOf(LINE_FEED, at);
        begun = true;
        const room = LONGEST_LINE - line.length;
        if (number >= first && number <= last && room > 0)
          line = Buffer.concat([
            line,
            chunk.subarray(at, Math.min(stop < 0 ? chunk.length : stop, at + room)),
          ]);
        if (stop < 0) return;
        end();
        at = stop + 1;
      }
    },
  });
  if (begun) end();
  return { total: number - 1, lines };
}
