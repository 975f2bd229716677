import { analyzeChange } from '../../src/code/diff-analysis/analyze-change.js';
import type { GateNote } from '../../src/features/builds/review.schemas.js';
import { SHOP } from './shop.js';

export type Files = Record<string, string>;
export interface Edit {
  path: string;
  apply(files: Files): void;
}

export const put = (path: string, text: string): Edit => ({
  path,
  apply: (files) => {
    files[path] = text;
  },
});

export const added = (texts: Files): Edit[] => Object.entries(texts).map(([path, text]) => put(path, text));

export const drop = (path: string): Edit => ({
  path,
  apply: (files) => {
    if (!(path in files)) throw new Error(`There is no ${path}`);
    delete files[path];
  },
});

export const swap = (path: string, from: string | RegExp, to: string): Edit => ({
  path,
  apply: (files) => {
    const changed = files[path]?.replace(from, () => to);
    if (changed === undefined || changed === files[path]) throw new Error(`${path} does not say ${from}`);
    files[path] = changed;
  },
});

export const append = (path: string, text: string): Edit => ({
  path,
  apply: (files) => {
    files[path] = `${files[path]}${text}`;
  },
});

export const move = (path: string, to: string): Edit => ({
  path,
  apply: (files) => {
    put(to, files[path]!).apply(files);
    drop(path).apply(files);
  },
});

export function edited(edits: readonly Edit[]): Files {
  const files = { ...SHOP };
  for (const edit of edits) edit.apply(files);
  return files;
}

export interface Case {
  name: string;
  instructions: string;
  edits: readonly Edit[];
}

export interface Fault extends Case {
  /** The note kinds of which any one identifies the fault. */
  kinds: readonly string[];
  /** The file with the fault, if it is in one file. */
  path?: string;
}

/** The files that the edits changed, in the form that git reports. */
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

/** True if a note identifies the fault and its file. */
export const names = (notes: readonly GateNote[], { kinds, path }: Fault): boolean =>
  notes.some((note) => kinds.includes(note.kind) && (path === undefined || note.path === path));
