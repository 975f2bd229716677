import type { GraphNode } from '../api/lessons.js';

/** How a place in the code is written: `src/`, `src/a.ts`, `src/a.ts#Class.method`. */

export const placeOf = ({ path, symbol }: Pick<GraphNode, 'path' | 'symbol'>): string =>
  symbol === null ? path : `${path}#${symbol}`;

/** The last part of it, as one would say it. */
export function nameOf(place: string): string {
  const { file, symbol } = splitPlace(place);
  if (symbol) return symbol;
  return file === '/' ? '/' : (file.replace(/\/$/, '').split('/').at(-1) ?? file);
}

export function splitPlace(place: string): { file: string; symbol: string | undefined } {
  const mark = place.lastIndexOf('#');
  if (mark < 0 || place.indexOf('/', mark) >= 0) return { file: place, symbol: undefined };
  return { file: place.slice(0, mark), symbol: place.slice(mark + 1) };
}

/** The folder it lies in, with its slash; that of the root is the root. */
export function folderOf(place: string): string {
  const { file } = splitPlace(place);
  const cut = file.replace(/\/$/, '').lastIndexOf('/');
  return cut < 0 ? '/' : file.slice(0, cut + 1);
}

/** What must be open in the tree for the place to be in sight, outermost first. */
export function placesAbove(place: string): string[] {
  const { file, symbol } = splitPlace(place);
  const parts = file.replace(/\/$/, '').split('/');
  const folders = parts.slice(0, -1).map((_, at) => `${parts.slice(0, at + 1).join('/')}/`);
  return symbol === undefined ? folders : [...folders, file];
}

/** `lessons/git/exit-codes.md` as people would say it, where the title is not known. */
export function nameOfLesson(path: string): string {
  const words = (path.split('/').at(-1) ?? path).replace(/\.md$/, '').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
