/** Parser for git's unified diff format. */

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'note';
  text: string;
  old: number | null;
  new: number | null;
}

export interface Hunk {
  /** The hunk heading that git prints, such as the enclosing function. */
  place: string;
  /** First line number in each file; for a side without lines, the number of the following line. */
  old: number;
  new: number;
  lines: DiffLine[];
}

export interface DiffFile {
  path: string;
  from: string | undefined;
  kind: 'changed' | 'added' | 'removed' | 'renamed';
  binary: boolean;
  /** The change updates a submodule commit, whose files are not part of this repository. */
  submodule: boolean;
  /** The changed file mode, such as `100644 → 100755`. */
  mode: string | undefined;
  insertions: number;
  deletions: number;
  hunks: Hunk[];
}

export function parseDiff(text: string): DiffFile[] {
  const files: DiffFile[] = [];
  let file: DiffFile | undefined;
  let hunk: Counting | undefined;
  let oldMode = '';
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    if (hunk && file && hunk.takes(line)) {
      hunk.take(line, file);
    } else if (line.startsWith('diff --git ')) {
      hunk = undefined;
      file = beginFile(line);
      files.push(file);
    } else if (file && line.startsWith('@@ ')) {
      hunk = new Counting(line);
      file.hunks.push(hunk.hunk);
    } else if (file) {
      hunk = undefined;
      if (line.startsWith('old mode ')) oldMode = line.slice(9);
      else if (line.startsWith('new mode ')) file.mode = `${oldMode} → ${line.slice(9)}`;
      else readHead(file, line);
    }
  }
  return files;
}

function beginFile(line: string): DiffFile {
  return {
    path: namesOf(line.slice('diff --git '.length)),
    from: undefined,
    kind: 'changed',
    binary: false,
    submodule: false,
    mode: undefined,
    insertions: 0,
    deletions: 0,
    hunks: [],
  };
}

function readHead(file: DiffFile, line: string): void {
  if (/^(index|new file mode|deleted file mode) .*\b160000$/.test(line)) file.submodule = true;
  if (line.startsWith('new file mode')) file.kind = 'added';
  else if (line.startsWith('deleted file mode')) file.kind = 'removed';
  else if (line.startsWith('rename from ')) {
    file.kind = 'renamed';
    file.from = unquote(line.slice('rename from '.length));
  } else if (line.startsWith('rename to ')) file.path = unquote(line.slice('rename to '.length));
  else if (line.startsWith('Binary files ') || line === 'GIT binary patch') file.binary = true;
  else if (line.startsWith('+++ ') && line !== '+++ /dev/null') file.path = withoutSide(line.slice(4));
  else if (line.startsWith('--- ') && line !== '--- /dev/null' && file.kind === 'removed')
    file.path = withoutSide(line.slice(4));
}

/** Counts lines as the hunk header announces, so that no content line can be mistaken for a header. */
class Counting {
  readonly hunk: Hunk;
  #old: number;
  #new: number;
  #oldLeft: number;
  #newLeft: number;

  constructor(line: string) {
    const [, old = '0', oldCount = '1', next = '0', newCount = '1', place = ''] =
      /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line) ?? [];
    this.#oldLeft = Number(oldCount);
    this.#newLeft = Number(newCount);
    // For a side without lines git gives the preceding line.
    this.#old = Number(old) + (this.#oldLeft === 0 ? 1 : 0);
    this.#new = Number(next) + (this.#newLeft === 0 ? 1 : 0);
    this.hunk = { place, old: this.#old, new: this.#new, lines: [] };
  }

  takes(line: string): boolean {
    return this.#oldLeft > 0 || this.#newLeft > 0 || line.startsWith('\\');
  }

  take(line: string, file: DiffFile): void {
    const { lines } = this.hunk;
    const text = line.slice(1);
    if (line.startsWith('+')) {
      lines.push({ kind: 'added', text, old: null, new: this.#new++ });
      this.#newLeft -= 1;
      file.insertions += 1;
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text, old: this.#old++, new: null });
      this.#oldLeft -= 1;
      file.deletions += 1;
    } else if (line.startsWith('\\')) {
      lines.push({ kind: 'note', text: line.slice(2), old: null, new: null });
    } else {
      lines.push({ kind: 'same', text, old: this.#old++, new: this.#new++ });
      this.#oldLeft -= 1;
      this.#newLeft -= 1;
    }
  }
}

/** `a/x b/x`: both halves are the same path unless later header lines differ. */
function namesOf(names: string): string {
  if (names.startsWith('"')) {
    const end = names.indexOf('" ', 1);
    return withoutSide(names.slice(end + 2));
  }
  const half = names.slice((names.length + 1) / 2);
  return withoutSide(half);
}

const withoutSide = (name: string): string => unquote(name.replace(/\t$/, '')).replace(/^[ab]\//, '');

const ESCAPES: Record<string, number> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '"': 34, '\\': 92 };

/** Git quotes paths with special characters and writes their bytes in octal. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes: number[] = [];
  for (const [part, octal, letter] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal) bytes.push(Number.parseInt(octal, 8));
    else if (letter) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0));
    else bytes.push(...new TextEncoder().encode(part));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

export const lineCount = ({ hunks }: DiffFile): number =>
  hunks.reduce((sum, { lines }) => sum + lines.length, 0);
