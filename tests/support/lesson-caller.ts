import type { NearAnswer, SearchAnswer } from '../../src/features/lessons/lessons.schemas.js';
import { type CodeWorld, lesson, type Project } from './code-world.js';

export function lessonCaller(code: CodeWorld) {
  const ask = (project: Project, question: object) =>
    code.call<NearAnswer>('POST', '/api/v1/memory/entries:near', { project_id: project.id, ...question });
  const search = async (project: Project, query: string) =>
    (await code.call<SearchAnswer>('GET', `/api/v1/memory/entries/search?project_id=${project.id}&${query}`))
      .body;
  return {
    near: async (project: Project, question: object) => (await ask(project, question)).body,
    nearStatus: async (question: object) =>
      (await code.call('POST', '/api/v1/memory/entries:near', question)).status,
    search,
    /** Ids of the lessons around an anchor, each with the kind of match. */
    found: async (project: Project, anchor: string) =>
      (await search(project, `anchor=${encodeURIComponent(anchor)}`)).items.map((item) => [
        item.id,
        item.matched_by,
      ]),
  };
}

export const anchors = (...list: string[]) => lesson(`anchors: ${JSON.stringify(list)}`);
