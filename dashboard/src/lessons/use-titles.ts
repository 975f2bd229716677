import { readTitles } from '../api/lessons.js';
import { useResource } from '../api/resource.js';

const NONE: ReadonlyMap<string, string> = new Map();

export const useTitles = (projectId: string): ReadonlyMap<string, string> =>
  useResource(`lesson-titles:${projectId}`, (signal) => readTitles(projectId, signal), { freshMs: 60_000 })
    .data ?? NONE;
