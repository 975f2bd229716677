import type {
  CodeChildren,
  CodeIndex,
  CodeSurroundings,
  CreateProjectArguments,
  FindLessonsNearArguments,
  FoundLesson,
  GetCodeGraphArguments,
  HostKey,
  LessonsNear,
  ListLessonsArguments,
  ProjectChecks,
  ProjectSecret,
  RepositoryCredentials,
  SearchLessonsArguments,
  SetProjectCredentialsArguments,
  StreamOptions,
  UpdateProjectArguments,
  Lesson as WholeLesson,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type { MergeImpact, Project, ProjectChecks, ProjectSecret } from '../../../client/src/index.js';
export type IndexState = CodeIndex;
export type NearLesson = LessonsNear['entries'][number];
export type NearAnswer = LessonsNear;
export type NearQuery = FindLessonsNearArguments;
export type Lesson = WholeLesson;
export type AnchoredLesson = FoundLesson;
export type Graph = CodeSurroundings;
export type GraphNode = CodeSurroundings['nodes'][number];
export type GraphEdge = CodeSurroundings['edges'][number];
export type GraphQuery = Omit<GetCodeGraphArguments, 'project_id'>;
export type Child = CodeChildren['items'][number];
export type Edge = NonNullable<NearQuery['kinds']>[number];
export type LessonFilter = Omit<ListLessonsArguments, 'project_id' | 'cursor' | 'limit'>;
export type PinnedHost = HostKey;
export type Credentials = RepositoryCredentials;
export type Recipient = ProjectSecret['to'][number];

export const EDGES: readonly Edge[] = ['import', 'contains', 'call'];
export const ROOT = '/';
const PAGE = 50;
const MOST_NEAR = 100;
const MOST_TITLES = 200;

export const listProjects = (signal?: AbortSignal) => guildhall.listProjects({}, { signal });

export const readProject = (project_id: string, signal?: AbortSignal) =>
  guildhall.getProject({ project_id }, { signal });

export const createProject = (project: CreateProjectArguments) => guildhall.createProject(project);

export const changeProject = (project: UpdateProjectArguments) => guildhall.updateProject(project);

export const deleteProject = (project_id: string) => guildhall.deleteProject({ project_id });

export const readChecks = (project_id: string, signal?: AbortSignal) =>
  guildhall.getProjectChecks({ project_id }, { signal });

export const saveChecks = (project_id: string, checks: ProjectChecks) =>
  guildhall.setProjectChecks({ ...checks, project_id });

export const readIndex = (project_id: string, signal?: AbortSignal) =>
  guildhall.getProjectIndex({ project_id }, { signal });

export const startIndex = (project_id: string) => guildhall.requestProjectIndex({ project_id });

export const followIndex = (project_id: string, options: StreamOptions) =>
  guildhall.streamProjectIndex({ project_id }, options);

export const listNodes = (
  project_id: string,
  question: { prefix?: string; path?: string; kind?: 'file' | 'symbol' | 'folder'; limit?: number },
  signal?: AbortSignal,
) => guildhall.listCodeNodes({ project_id, limit: 12, ...question }, { signal });

export const listChildren = (project_id: string, path: string, signal?: AbortSignal) =>
  guildhall.listCodeChildren({ project_id, path }, { signal });

export const readGraph = (project_id: string, query: GraphQuery, signal?: AbortSignal) =>
  guildhall.getCodeGraph({ ...query, project_id }, { signal });

export const listLessons = (
  project_id: string,
  filter: LessonFilter,
  cursor: string | undefined,
  signal?: AbortSignal,
) => guildhall.listLessons({ ...filter, project_id, cursor, limit: PAGE }, { signal });

export async function countLessons(project_id: string, signal?: AbortSignal) {
  const [all, stale] = await Promise.all([
    guildhall.listLessons({ project_id, limit: 1 }, { signal }),
    guildhall.listLessons({ project_id, stale: true, limit: 1 }, { signal }),
  ]);
  return { lessons: all.total, stale: stale.total };
}

/** Lesson titles by path, because search results near code contain only paths. */
export async function readTitles(project_id: string, signal?: AbortSignal): Promise<Map<string, string>> {
  const { items } = await guildhall.listLessons({ project_id, limit: MOST_TITLES }, { signal });
  return new Map(items.map(({ path, title }) => [path, title]));
}

/** Returns null when the lesson no longer exists. */
export async function findLesson(
  project_id: string,
  path: string,
  signal?: AbortSignal,
): Promise<Lesson | null> {
  const { items } = await guildhall.listLessons({ project_id, prefix: path, limit: 1 }, { signal });
  return items.find((lesson) => lesson.path === path) ?? null;
}

export const searchLessons = (query: SearchLessonsArguments, signal?: AbortSignal) =>
  guildhall.searchLessons(query, { signal });

export const findNear = (question: NearQuery, signal?: AbortSignal) =>
  guildhall.findLessonsNear({ limit: MOST_NEAR, ...question }, { signal });

/** Writes one lesson file and keeps the others. */
export const writeLesson = (project_id: string, file: { path: string; content: string }) =>
  guildhall.syncLessons({ project_id, files: [file] });

export const readImpact = (project_id: string, base: string, head: string, signal?: AbortSignal) =>
  guildhall.getLessonsImpact({ project_id, base, head }, { signal });

export const readDeployKey = (brand_id: number, signal?: AbortSignal) =>
  guildhall.getDeployKey({ brand_id }, { signal });

export const readCredentials = (project_id: string, signal?: AbortSignal) =>
  guildhall.getProjectCredentials({ project_id }, { signal });

export const setCredentials = (credentials: SetProjectCredentialsArguments) =>
  guildhall.setProjectCredentials(credentials);

export const rotateKey = (project_id: string) => guildhall.rotateProjectKey({ project_id });

export const removeCredentials = (project_id: string) => guildhall.removeProjectCredentials({ project_id });

export const listSecrets = (project_id: string, signal?: AbortSignal) =>
  guildhall.listProjectSecrets({ project_id }, { signal });

export const setSecret = (project_id: string, secret: { name: string; value: string; to: Recipient[] }) =>
  guildhall.setProjectSecret({ ...secret, project_id });

export const deleteSecret = (project_id: string, name: string) =>
  guildhall.deleteProjectSecret({ project_id, name });

export const listHostKeys = (brand_id: number, signal?: AbortSignal) =>
  guildhall.listHostKeys({ brand_id }, { signal });

export const forgetHostKey = (brand_id: number, host: string) => guildhall.forgetHostKey({ brand_id, host });
