import type { GitRun } from '../git/git-program.js';
import { fileTooLarge } from '../projects.errors.js';

type Run = (args: readonly string[], options?: GitRun) => Promise<Buffer>;

export interface FileLines {
  /** Of the whole file. */
  total: number;
  lines: string[];
}

export interface LineRange {
  first: number;
  last: number;
  /** In bytes: a larger file is refused. */
  largest?: number;
  /** In bytes: lines beyond it are left out, but for the first. */
  most?: number;
}

/** In bytes; more of a line is not shown. */
const LONGEST_LINE = 4000;
const LINE_FEED = 10;

/** Some lines of a file in a commit, by their numbers from 1; undefined when it has no such file. */
export async function readLines(
  run: Run,
  commit: string,
  path: string,
  { first, last, largest = Infinity, most = Infinity }: LineRange,
): Promise<FileLines | undefined> {
  const [entry = ''] = (await run(['ls-tree', '-z', '--long', '--full-tree', commit, '--', path]))
    .toString('utf8')
    .split('\0');
  const [, blob, size, name] = /^\d+ blob ([0-9a-f]+) +(\d+)\t([\s\S]+)$/.exec(entry) ?? [];
  if (!blob || name !== path) return undefined;
  if (Number(size) > largest) throw fileTooLarge(Number(size), largest);
  const lines: string[] = [];
  let kept = 0;
  let full = false;
  let number = 1;
  let line = Buffer.alloc(0);
  let begun = false;
  const end = () => {
    if (number >= first && number <= last && !full) {
      kept += line.length;
      full = kept > most && lines.length > 0;
      if (!full) lines.push(line.toString('utf8').toWellFormed());
    }
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
