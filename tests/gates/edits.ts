import { SHOP } from './shop.js';

export type Files = Record<string, string>;
export type Edit = (files: Files) => void;

export const put =
  (path: string, text: string): Edit =>
  (files) => {
    files[path] = text;
  };

export const drop =
  (path: string): Edit =>
  (files) => {
    if (!(path in files)) throw new Error(`There is no ${path}`);
    delete files[path];
  };

export const swap =
  (path: string, from: string | RegExp, to: string): Edit =>
  (files) => {
    const text = files[path];
    const changed = text?.replace(from, () => to);
    if (changed === undefined || changed === text) throw new Error(`${path} does not say ${from}`);
    files[path] = changed;
  };

export const append =
  (path: string, text: string): Edit =>
  (files) => {
    files[path] = `${files[path]}${text}`;
  };

export const move =
  (path: string, to: string): Edit =>
  (files) => {
    put(to, files[path]!)(files);
    drop(path)(files);
  };

/** The shop after some edits. */
export function edited(edits: readonly Edit[]): Files {
  const files = { ...SHOP };
  for (const edit of edits) edit(files);
  return files;
}

export interface Case {
  name: string;
  instructions: string;
  edits: readonly Edit[];
}

export interface Fault extends Case {
  /** Any of these names it. */
  kinds: readonly string[];
  /** Where it lies; nowhere in particular where there is none. */
  path?: string;
}
