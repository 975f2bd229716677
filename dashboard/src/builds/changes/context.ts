import type { DiffFile, DiffLine, Hunk } from './diff.js';

/** A range of unchanged lines that the diff omits, by line numbers of the new file. */
export interface Gap {
  first: number;
  /** Undefined while the length of the file is unknown. */
  last: number | undefined;
  /** Added to a new line number to get the old one. */
  shift: number;
  /** Whether lines are shown above and below the gap. */
  above: boolean;
  below: boolean;
}

/** Content before a hunk or after the last one: requested lines and the gaps between them. */
export type Between = { lines: DiffLine[] } | { gap: Gap };

export interface Context {
  lines: ReadonlyMap<number, DiffLine>;
  /** The length of the file in lines, once known. */
  total: number | undefined;
}

export const NO_CONTEXT: Context = { lines: new Map(), total: undefined };

/** Git shows 3 lines of context around a change; fewer mean the start or the end of the file. */
const LINES_AROUND = 3;

const ends = ({ lines, old, new: next }: Hunk): { old: number; new: number } => ({
  old: old + lines.filter((line) => line.old !== null).length,
  new: next + lines.filter((line) => line.new !== null).length,
});

/** New and deleted files are shown completely, so they have no more context. */
const hasContext = ({ kind, binary, submodule, hunks }: DiffFile): boolean =>
  (kind === 'changed' || kind === 'renamed') && !binary && !submodule && hunks.length > 0;

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

/** Adds loaded lines of the file as diff lines; their old line numbers depend on the gap they are in. */
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
