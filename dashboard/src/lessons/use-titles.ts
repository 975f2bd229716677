import { readTitles } from '../api/lessons.js';
import { useResource } from '../api/resource.js';

const NONE: ReadonlyMap<string, string> = new Map();

/** The titles of a project's lessons by their paths, as far as they are read. */
export const useTitles = (projectId: string): ReadonlyMap<string, string> =>
  useResource(`lesson-titles:${projectId}`, (signal) => readTitles(projectId, signal), { freshMs: 60_000 })
    .data ?? NONE;
