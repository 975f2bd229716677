import type { GraphNode } from '../api/lessons.js';

/** Formats a place in the code: `src/`, `src/a.ts`, `src/a.ts#Class.method`. */

export const placeOf = ({ path, symbol }: Pick<GraphNode, 'path' | 'symbol'>): string =>
  symbol === null ? path : `${path}#${symbol}`;

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

/** The parent folder with a trailing slash; the root is its own parent. */
export function folderOf(place: string): string {
  const { file } = splitPlace(place);
  const cut = file.replace(/\/$/, '').lastIndexOf('/');
  return cut < 0 ? '/' : file.slice(0, cut + 1);
}

/** Tree nodes to expand so that the place is visible, outermost first. */
export function placesAbove(place: string): string[] {
  const { file, symbol } = splitPlace(place);
  const parts = file.replace(/\/$/, '').split('/');
  const folders = parts.slice(0, -1).map((_, at) => `${parts.slice(0, at + 1).join('/')}/`);
  return symbol === undefined ? folders : [...folders, file];
}

/** A readable name for `lessons/git/exit-codes.md` when its title is unknown. */
export function nameOfLesson(path: string): string {
  const words = (path.split('/').at(-1) ?? path).replace(/\.md$/, '').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
