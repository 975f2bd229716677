import type {
  CodeIndex,
  CreateProjectArguments,
  FindLessonsNearArguments,
  FoundLesson,
  LessonsNear,
  SearchLessonsArguments,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type { Project } from '../../../client/src/index.js';
export type IndexState = CodeIndex;
export type NearLesson = LessonsNear['entries'][number];
export type NearAnswer = LessonsNear;
export type NearQuery = FindLessonsNearArguments;
export type Lesson = FoundLesson;
export type Direction = NonNullable<NearQuery['direction']>;
export type Edge = NonNullable<NearQuery['kinds']>[number];

export const listProjects = (signal?: AbortSignal) => guildhall.listProjects({}, { signal });

export const readProject = (project_id: string, signal?: AbortSignal) =>
  guildhall.getProject({ project_id }, { signal });

export const createProject = (project: CreateProjectArguments) => guildhall.createProject(project);

export const readIndex = (project_id: string, signal?: AbortSignal) =>
  guildhall.getProjectIndex({ project_id }, { signal });

export const startIndex = (project_id: string) => guildhall.requestProjectIndex({ project_id });

export const listNodes = (project_id: string, prefix: string, signal?: AbortSignal) =>
  guildhall.listCodeNodes({ project_id, prefix: prefix || undefined, limit: 12 }, { signal });

export const searchLessons = (query: SearchLessonsArguments, signal?: AbortSignal) =>
  guildhall.searchLessons(
    { ...query, anchor: query.anchor || undefined, q: query.q || undefined },
    { signal },
  );

export const findNear = (question: NearQuery, signal?: AbortSignal) =>
  guildhall.findLessonsNear(question, { signal });
