import type { DiffFile, DiffLine, Hunk } from './diff.js';

/** Lines that a diff leaves out, by their numbers of after: git says nothing about what stayed as it was. */
export interface Gap {
  first: number;
  /** Undefined where nobody has told yet how long the file is. */
  last: number | undefined;
  /** What makes a number of before of a number of after. */
  shift: number;
  /** Whether something is shown above and below. */
  above: boolean;
  below: boolean;
}

/** What stands before a hunk, or behind the last: lines that somebody asked for, and gaps between them. */
export type Between = { lines: DiffLine[] } | { gap: Gap };

/** What was asked for of a file, by the numbers of after. */
export interface Context {
  lines: ReadonlyMap<number, DiffLine>;
  /** How many lines the file has, once that was told. */
  total: number | undefined;
}

export const NO_CONTEXT: Context = { lines: new Map(), total: undefined };

/** Git shows so many lines around a change: where there are fewer, the file ends. */
const LINES_AROUND = 3;

const ends = ({ lines, old, new: next }: Hunk): { old: number; new: number } => ({
  old: old + lines.filter((line) => line.old !== null).length,
  new: next + lines.filter((line) => line.new !== null).length,
});

/** Of a file that is new or gone every line is shown, and others have none. */
const hasContext = ({ kind, binary, submodule, hunks }: DiffFile): boolean =>
  (kind === 'changed' || kind === 'renamed') && !binary && !submodule && hunks.length > 0;

/** Where a diff leaves lines out: before each hunk, then behind the last. */
export function gapsOf(file: DiffFile, total?: number): (Gap | undefined)[] {
  if (!hasContext(file)) return [];
  const gaps: (Gap | undefined)[] = [];
  let before = { old: 1, new: 1 };
  for (const [at, hunk] of file.hunks.entries()) {
    const gap = { first: before.new, last: hunk.new - 1, shift: hunk.old - hunk.new };
    gaps.push(gap.last < gap.first ? undefined : { ...gap, above: at > 0, below: true });
    before = ends(hunk);
  }
  const over = endsFile(file.hunks.at(-1)!) || (total !== undefined && before.new > total);
  const shift = before.old - before.new;
  gaps.push(over ? undefined : { first: before.new, last: total, shift, above: true, below: false });
  return gaps;
}

function endsFile({ lines }: Hunk): boolean {
  const last = lines.findLastIndex(({ kind }) => kind !== 'same');
  return lines.length - 1 - last < LINES_AROUND || lines.some(({ kind }) => kind === 'note');
}

/** A gap with what was asked for of it. */
export function fillGap(gap: Gap, { lines }: Context): Between[] {
  const known = [...lines.keys()].filter((at) => at >= gap.first && at <= (gap.last ?? Infinity));
  known.sort((a, b) => a - b);
  const between: Between[] = [];
  let next = gap.first;
  let run: DiffLine[] = [];
  const open = (last: number | undefined) => {
    if (last !== undefined && last < next) return;
    const above = gap.above || between.length > 0;
    between.push({ gap: { ...gap, first: next, last, above, below: gap.below || last !== gap.last } });
  };
  for (const at of known) {
    if (at > next) {
      open(at - 1);
      run = [];
    }
    if (run.length === 0) between.push({ lines: run });
    run.push(lines.get(at)!);
    next = at + 1;
  }
  open(gap.last);
  return between;
}

/** Lines of the file that were read, as lines of the diff; those of before have other numbers, gap by gap. */
export function addLines(
  file: DiffFile,
  before: Context,
  read: { from: number; total: number; lines: readonly string[] },
): Context {
  const lines = new Map(before.lines);
  const gaps = gapsOf(file, read.total);
  for (const [at, text] of read.lines.entries()) {
    const number = read.from + at;
    const gap = gaps.find((each) => each && number >= each.first && number <= (each.last ?? Infinity));
    if (gap && !lines.has(number))
      lines.set(number, { kind: 'same', text, old: number + gap.shift, new: number });
  }
  return { lines, total: read.total };
}

/** Lines that follow each other in the file, hunks and what was asked for between them alike. */
export function runsOf(file: DiffFile, context: Context): DiffLine[][] {
  const runs: DiffLine[][] = [];
  let run: DiffLine[] = [];
  const end = () => {
    if (run.length > 0) runs.push(run);
    run = [];
  };
  const gaps = gapsOf(file, context.total);
  for (let at = 0; at <= file.hunks.length; at++) {
    const gap = gaps[at];
    for (const part of gap ? fillGap(gap, context) : [])
      if ('gap' in part) end();
      else run.push(...part.lines);
    run.push(...(file.hunks[at]?.lines ?? []));
  }
  end();
  return runs;
}
