export type AnchorKind = 'file' | 'symbol' | 'folder';

/** A normalized anchor: `src/`, `src/a.ts` or `src/a.ts#Class.method`. */
export interface Anchor {
  kind: AnchorKind;
  path: string;
}

/** The limit of a database index over paths. */
const MAX_BYTES = 2000;
const MAX_PARSED = 20_000;

export function isStorable(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_BYTES;
}

/** Undefined when the anchor is invalid. A folder written without its slash is recognized later, by the code. */
export function parseAnchor(text: string): Anchor | undefined {
  if (text.includes('\0')) return undefined;
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (trimmed === '/') return { kind: 'folder', path: '/' };
  const { file, symbol } = splitSymbol(trimmed);
  if (file.startsWith('/') || /(?:^|\/)\.\.(?:\/|$)/.test(file)) return undefined;
  if (trimmed.length > MAX_PARSED) return { kind: 'file', path: trimmed };
  const parts = file.split('/').filter((part) => part !== '' && part !== '.');
  if (symbol !== undefined) {
    const isNamed =
      parts.length > 0 && !file.endsWith('/') && symbol.split('.').every((part) => part.trim() !== '');
    return isNamed ? { kind: 'symbol', path: `${parts.join('/')}#${symbol}` } : undefined;
  }
  if (parts.length === 0) return file.replace(/[./]/g, '') === '' ? { kind: 'folder', path: '/' } : undefined;
  if (parts.at(-1)!.endsWith('#')) return undefined;
  return file.endsWith('/')
    ? { kind: 'folder', path: `${parts.join('/')}/` }
    : { kind: 'file', path: parts.join('/') };
}

/** A `#` before a slash belongs to the path: a folder may be called `c#`. */
function splitSymbol(text: string): { file: string; symbol?: string } {
  const mark = text.lastIndexOf('#');
  if (mark < 0 || text.indexOf('/', mark) >= 0) return { file: text };
  return { file: text.slice(0, mark), symbol: text.slice(mark + 1) };
}

/** Places where the anchor's code may be, the most likely first. */
export function anchorCandidates({ kind, path }: Anchor): Anchor[] {
  if (kind === 'folder') return [{ kind, path }];
  if (kind === 'symbol')
    return [
      { kind: 'file', path },
      { kind, path },
    ];
  return [
    { kind, path },
    { kind: 'folder', path: `${path}/` },
  ];
}

export function fileOfSymbol(path: string): string {
  return path.slice(0, path.lastIndexOf('#'));
}

/** `a.ts#A.b.c` → `a.ts#A.b`, `a.ts#A`. */
export function enclosingSymbols(path: string): string[] {
  const mark = path.lastIndexOf('#');
  const enclosing: string[] = [];
  for (let dot = path.lastIndexOf('.'); dot > mark; dot = path.lastIndexOf('.', dot - 1))
    enclosing.push(path.slice(0, dot));
  return enclosing;
}

/** Folders around a path, nearest first, the root last. */
export function foldersAround(path: string): string[] {
  const folders: string[] = [];
  const end = path.endsWith('/') ? path.length - 2 : path.length - 1;
  for (let slash = path.lastIndexOf('/', end); slash > 0; slash = path.lastIndexOf('/', slash - 1))
    folders.push(path.slice(0, slash + 1));
  if (path !== '/') folders.push('/');
  return folders;
}

export function placesAround({ kind, path }: Anchor): string[] {
  if (kind !== 'symbol') return foldersAround(path);
  const file = fileOfSymbol(path);
  return [...enclosingSymbols(path), file, ...foldersAround(file)];
}
