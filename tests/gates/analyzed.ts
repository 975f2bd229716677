import { analyzeChange } from '../../src/code/diff-analysis/analyze-change.js';
import type { GateNote } from '../../src/features/builds/analysis.schemas.js';
import { type Case, edited, type Fault, type Files } from './edits.js';
import { SHOP } from './shop.js';

/** The files of the shop that an edit touched, as git would tell of them. */
export function changesOf(after: Files) {
  const touched = [...new Set([...Object.keys(SHOP), ...Object.keys(after)])].filter(
    (path) => SHOP[path] !== after[path],
  );
  const files = touched.map((path) => ({
    path,
    from: path in SHOP ? path : null,
    stays: path in after,
    before: SHOP[path] ?? null,
    after: after[path] ?? null,
    unread: false,
  }));
  for (const added of files.filter(({ from }) => from === null)) {
    const gone = files.find(({ stays, before }) => !stays && before === added.after);
    if (!gone) continue;
    Object.assign(added, { from: gone.path, before: gone.before });
    files.splice(files.indexOf(gone), 1);
  }
  return files;
}

export const analyzeCase = ({ edits, instructions }: Case): GateNote[] =>
  analyzeChange({
    files: changesOf(edited(edits)),
    leftOut: 0,
    ground: { named: instructions.match(/[\w./-]+\/[\w.-]+\.\w+/g) ?? [], near: [], footprint: null },
    succeeded: true,
  }).notes;

/** Whether one of the notes says what was planted, and where. */
export const names = (notes: readonly GateNote[], { kinds, path }: Fault): boolean =>
  notes.some((note) => kinds.includes(note.kind) && (path === undefined || note.path === path));
