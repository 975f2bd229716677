import type { GitRun } from '../git/git-program.js';
import { splitAtNul } from '../git/tree.js';

type Run = (args: readonly string[], options?: GitRun) => Promise<Buffer>;

/** A piece of a file that was replaced: so many lines from the one, by so many from the other. */
export interface LineShift {
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
}

/** What became of a file between two commits. */
export interface FileMove {
  /** What it is called now; null: it is gone. */
  path: string | null;
  /** In the order of the file. */
  shifts: LineShift[];
}

interface Entry {
  status: string;
  from: string;
  to: string | null;
}

const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '-M', '-l1000', '--submodule=short'];
const LIMITS: GitRun = { timeoutMs: 30_000, settings: ['core.bigFileThreshold=16m'] };

/** What became of these files, of those that something became of. */
export async function readMoves(
  run: Run,
  from: string,
  to: string,
  paths: readonly string[],
): Promise<Map<string, FileMove>> {
  const wanted = new Set(paths);
  const touched = (await listEntries(run, from, to, [])).filter((entry) => wanted.has(entry.from));
  if (touched.length === 0) return new Map();
  // A renamed file is known as such only where both its names are looked at.
  const names = [
    ...new Set(touched.flatMap((entry) => [entry.from, ...(entry.to === null ? [] : [entry.to])])),
  ];
  const entries = await listEntries(run, from, to, names);
  const sections = await readShifts(run, from, to, names);
  const moves = new Map<string, FileMove>();
  let at = 0;
  for (const entry of entries) {
    // What became a file of another kind is shown as a removal and an addition.
    const changesKind = entry.status === 'T';
    const shifts = sections[at] ?? [];
    at += changesKind ? 2 : 1;
    if (wanted.has(entry.from)) moves.set(entry.from, { path: changesKind ? null : entry.to, shifts });
  }
  return moves;
}

async function listEntries(run: Run, from: string, to: string, only: readonly string[]): Promise<Entry[]> {
  const fields = splitAtNul(
    await run(['diff', '--name-status', '-z', ...PLAIN, from, to, '--', ...only], LIMITS),
  ).map((field) => field.toString('utf8'));
  const entries: Entry[] = [];
  for (let at = 0; at < fields.length; ) {
    const status = fields[at]!.slice(0, 1);
    const first = fields[at + 1]!;
    const renamed = status === 'R';
    entries.push({ status, from: first, to: renamed ? fields[at + 2]! : status === 'D' ? null : first });
    at += renamed ? 3 : 2;
  }
  return entries;
}

const LONGEST_HEAD = 200;
const LINE_FEED = 10;

/** The pieces of each file, in the order in which git names the files. Only their heads are kept, however large the change is. */
async function readShifts(
  run: Run,
  from: string,
  to: string,
  only: readonly string[],
): Promise<LineShift[][]> {
  const sections: LineShift[][] = [];
  let head = '';
  const end = () => {
    if (head.startsWith('diff --git ')) sections.push([]);
    else if (head.startsWith('@@ ')) sections.at(-1)?.push(readHead(head));
    head = '';
  };
  await run(['diff', '-U0', ...PLAIN, from, to, '--', ...only], {
    ...LIMITS,
    onOutput(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const stop = chunk.indexOf(LINE_FEED, at);
        const line = chunk.subarray(at, stop < 0 ? chunk.length : stop);
        if (head.length < LONGEST_HEAD)
          head += line.subarray(0, LONGEST_HEAD - head.length).toString('latin1');
        if (stop < 0) return;
        end();
        at = stop + 1;
      }
    },
  });
  return sections;
}

function readHead(head: string): LineShift {
  const [, oldStart, oldCount = '1', newStart, newCount = '1'] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(head) ?? [];
  return {
    oldStart: Number(oldStart),
    oldCount: Number(oldCount),
    newStart: Number(newStart),
    newCount: Number(newCount),
  };
}
