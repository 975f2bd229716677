import { isObject } from '../../kernel/is-object.js';

/** JSON as configuration files have it, with comments and trailing commas; undefined when it is none. */
export function parseLooseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(withoutTrailingCommas(withoutComments(text.replace(/^\uFEFF/, ''))));
    } catch {
      return undefined;
    }
  }
}

/** What is not closed reaches to the end: looking for its end from every beginning would take for ever. */
const commentOrString = /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const commaOrString = /"(?:[^"\\]|\\.)*"?|,(?=\s*[}\]])/g;

function withoutComments(text: string): string {
  return text.replace(commentOrString, (match) => (match.startsWith('"') ? match : ' '));
}

function withoutTrailingCommas(text: string): string {
  return text.replace(commaOrString, (match) => (match.startsWith('"') ? match : ''));
}

export type JsonObject = Record<string, unknown>;

export const asObject = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);

/** `a/./b/../c` → `a/c`; undefined when it leaves the repository. */
export function normalizePath(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export function joinPath(folder: string, path: string): string | undefined {
  return normalizePath(folder === '' ? path : `${folder}/${path}`);
}
