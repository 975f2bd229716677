// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments, ServerEvent, StreamOptions } from '../core/options.js';
import type { CheckSetup } from './shared.generated.js';

export interface CodeIndex {
  index_id: string;
  status: 'queued' | 'running' | 'ready' | 'failed';
  commit: string | null;
  files: number;
  nodes: number;
  edges: number;
  lessons: number;
  warnings: string[];
  /** Whether the repository is larger than what is read of one; warnings say what was left out. */
  truncated: boolean;
  progress: {
    phase: string;
    done: number;
    total: number;
  } | null;
  started_at: string | null;
  finished_at: string | null;
  error: string | null;
}

export interface CodeNode {
  node_id: string;
  kind: 'folder' | 'file' | 'symbol';
  path: string;
  symbol: string | null;
  live: boolean;
}

export interface CodeNodeList {
  items: CodeNode[];
  total: number;
}

export interface DeployKey {
  /** To be added at the host, with leave to read */
  public_key: string;
  fingerprint: string;
  created_at: string;
}

export interface HostKey {
  /** With its port unless that is 22: `[git.example]:2222` */
  host: string;
  host_key: string;
  pinned_at: string;
}

export interface HostKeyList {
  host_keys: HostKey[];
  total: number;
}

export interface Project {
  project_id: string;
  name: string;
  repository: {
    url: string;
    branch: string | null;
    /** Key and fingerprint of an ssh host, pinned when it was first met */
    host_key: string | null;
  } | null;
  created_at: string;
  updated_at: string;
}

export interface ProjectChecks {
  /** What has to hold; not run yet. */
  checks?: {
    /** Unique. It must be one line that is not blank. */
    name: string;
    /** Run by `sh -c`. It must not be blank. */
    command: string;
    /** Its time limit. */
    minutes?: number;
  }[];
  /** Run in a checkout before the coder. */
  setup?: CheckSetup | null;
  /** Whether a failed check holds the build. */
  required?: boolean;
}

export interface ProjectList {
  projects: Project[];
  total: number;
}

export interface RepositoryCredentials {
  kind: 'workspace' | 'deploy_key' | 'token';
  public_key: string | null;
  fingerprint: string | null;
  /** The key before it, tried until this one has worked */
  former_fingerprint: string | null;
  username: string | null;
  /** Where the token goes, and nowhere else */
  host: string | null;
  created_at: string | null;
  used_at: string | null;
}

export interface RepositoryInput {
  /** https or ssh address; an admin may name a local path of the server. */
  url: string;
  /** The branch to read; null or left out: the repository's own default. */
  branch?: string | null;
}

export interface RequestedIndex {
  index_id: string;
  status: 'queued' | 'running' | 'ready' | 'failed';
}

export interface GetDeployKeyArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
}

export interface ListHostKeysArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
}

export interface ForgetHostKeyArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The host as list_host_keys shows it; with its port unless that is 22: `[git.example]:2222`. */
  host: string;
}

export interface CreateProjectArguments {
  /** What people call it. */
  name: string;
  /** Where its code is; can be attached later. */
  repository?: RepositoryInput | null;
}

export interface GetProjectArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
}

export interface UpdateProjectArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
  /** What people call it. */
  name?: string;
  /** Where its code is from now on; null detaches it. */
  repository?: RepositoryInput | null;
}

export interface DeleteProjectArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
}

export interface GetProjectChecksArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
}

export interface SetProjectChecksArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
  /** What has to hold; not run yet. */
  checks?: {
    /** Unique. It must be one line that is not blank. */
    name: string;
    /** Run by `sh -c`. It must not be blank. */
    command: string;
    /** Its time limit. */
    minutes?: number;
  }[];
  /** Run in a checkout before the coder. */
  setup?: CheckSetup | null;
  /** Whether a failed check holds the build. */
  required?: boolean;
}

export interface GetProjectCredentialsArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
}

export interface SetProjectCredentialsArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
  /** The workspace's key, a key of its own, or a token for https. */
  kind: 'workspace' | 'deploy_key' | 'token';
  /** Goes with the token; x-access-token unless said. It must have 1 to 255 characters, none of them a colon. */
  username?: string;
  /**
   * Never shown, and sent to the host of the present address only. It must have 1 to 4096 visible ASCII
   * characters.
   */
  token?: string;
}

export interface RemoveProjectCredentialsArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
}

export interface RotateProjectKeyArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
}

export interface RequestProjectIndexArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
}

export interface GetProjectIndexArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
}

export interface StreamProjectIndexArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
}

export interface ListCodeNodesArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
  /** Exactly this path: a folder ends with `/`, a symbol is `<file>#<Symbol.name>`. */
  path?: string;
  /** Only paths that begin so. */
  prefix?: string;
  /** Only nodes of this kind. */
  kind?: 'folder' | 'file' | 'symbol';
  /** At most so many; 100 unless said. */
  limit?: number;
}

export interface ProjectsMethods {
  /**
   * Read the key with which the workspace reads its ssh repositories.
   * Made when it is first asked for or needed. Add it at the host of each private repository. Scopes:
   * `brand:admin`. Admins only.
   */
  getDeployKey(fields: GetDeployKeyArguments, options?: CallOptions): Promise<DeployKey>;

  /**
   * List the keys of ssh hosts that were pinned.
   * The key of an ssh host is pinned when a repository there is first read; another key is refused from then
   * on. Scopes: `brand:admin`. Admins only.
   */
  listHostKeys(fields: ListHostKeysArguments, options?: CallOptions): Promise<HostKeyList>;

  /**
   * Forget the key of a host, so that the one it shows next is pinned.
   * For a host that has changed its key for a good reason: check the new fingerprint with the host first.
   * Scopes: `brand:admin`. Admins only.
   */
  forgetHostKey(fields: ForgetHostKeyArguments, options?: CallOptions): Promise<void>;

  /**
   * Make a project, with or without a repository.
   * Lessons and the code index belong to a project. With a repository, indexing starts by itself: follow it
   * with get_project_index.
   */
  createProject(fields: CreateProjectArguments, options?: CallOptions): Promise<Project>;

  /**
   * List the projects of the workspace.
   * The projects of the workspace with their repositories: the project_id is what the lesson tools ask for.
   * Scopes: `code:read`.
   */
  listProjects(fields?: NoArguments, options?: CallOptions): Promise<ProjectList>;

  /**
   * Read a project.
   * Its name and repository. Scopes: `code:read`.
   */
  getProject(fields: GetProjectArguments, options?: CallOptions): Promise<Project>;

  /**
   * Rename a project, attach or detach its repository.
   * Only the fields that are sent change. A new repository is indexed by itself; null detaches it.
   */
  updateProject(fields: UpdateProjectArguments, options?: CallOptions): Promise<Project>;

  /**
   * Delete a project with its index and its lessons.
   * For good: it cannot be undone. Admins only.
   */
  deleteProject(fields: DeleteProjectArguments, options?: CallOptions): Promise<void>;

  /**
   * Read setup and checks of a project.
   * Empty: `.guildhall/checks.yaml` of the repository counts. Scopes: `code:read`.
   */
  getProjectChecks(fields: GetProjectChecksArguments, options?: CallOptions): Promise<ProjectChecks>;

  /**
   * Set setup and checks of a project.
   * Whole: what is left out is gone. Admins only.
   */
  setProjectChecks(fields: SetProjectChecksArguments, options?: CallOptions): Promise<ProjectChecks>;

  /**
   * Read with what a project reaches its repository.
   * A public key is to be added at the host. Secrets are never shown. Scopes: `code:read`.
   */
  getProjectCredentials(
    fields: GetProjectCredentialsArguments,
    options?: CallOptions,
  ): Promise<RepositoryCredentials>;

  /**
   * Give a project a key or a token of its own.
   * A key that it has already stays. Scopes: `brand:admin`. Admins only.
   */
  setProjectCredentials(
    fields: SetProjectCredentialsArguments,
    options?: CallOptions,
  ): Promise<RepositoryCredentials>;

  /**
   * Go back to the workspace's key.
   * The key or token of the project is gone for good. Scopes: `brand:admin`. Admins only.
   */
  removeProjectCredentials(fields: RemoveProjectCredentialsArguments, options?: CallOptions): Promise<void>;

  /**
   * Replace the deploy key of a project.
   * The key before it is tried until the new one has worked. Scopes: `brand:admin`. Admins only.
   */
  rotateProjectKey(fields: RotateProjectKeyArguments, options?: CallOptions): Promise<RepositoryCredentials>;

  /**
   * Look at the repository now.
   * Answers at once; the pass runs in the background. A pass that waits already is answered again.
   */
  requestProjectIndex(fields: RequestProjectIndexArguments, options?: CallOptions): Promise<RequestedIndex>;

  /**
   * How the newest pass stands, and the numbers of the index in force.
   * `status` and `progress` of the newest pass, `error` when it failed; files, nodes and edges are those of
   * the last one that succeeded. Scopes: `code:read`.
   */
  getProjectIndex(fields: GetProjectIndexArguments, options?: CallOptions): Promise<CodeIndex>;

  /**
   * Follow the newest pass until it is over.
   * Server-sent events with what get_project_index answers, until the pass is ready or failed; the event
   * `end` says so. Scopes: `code:read`.
   */
  streamProjectIndex(
    fields: StreamProjectIndexArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<CodeIndex>, void, undefined>;

  /**
   * List live code: folders, files, symbols.
   * The `node_id` of a file, folder or symbol is what find_lessons_near and lookup_anchors take. Scopes:
   * `code:read`.
   */
  listCodeNodes(fields: ListCodeNodesArguments, options?: CallOptions): Promise<CodeNodeList>;
}

export interface ProjectsStreams {
  streamProjectIndex: { fields: StreamProjectIndexArguments; data: CodeIndex };
}

export const projects = {
  getDeployKey: { method: 'GET', path: '/api/v1/brands/{brand_id}/deploy-key' },
  listHostKeys: { method: 'GET', path: '/api/v1/brands/{brand_id}/host-keys' },
  forgetHostKey: { method: 'DELETE', path: '/api/v1/brands/{brand_id}/host-keys/{host}', answer: 'nothing' },
  createProject: {
    method: 'POST',
    path: '/api/v1/projects',
    body: ['name', 'repository'],
    needsBody: true,
    creates: true,
  },
  listProjects: { method: 'GET', path: '/api/v1/projects' },
  getProject: { method: 'GET', path: '/api/v1/projects/{project_id}' },
  updateProject: { method: 'PATCH', path: '/api/v1/projects/{project_id}', body: ['name', 'repository'] },
  deleteProject: { method: 'DELETE', path: '/api/v1/projects/{project_id}', answer: 'nothing' },
  getProjectChecks: { method: 'GET', path: '/api/v1/projects/{project_id}/checks' },
  setProjectChecks: {
    method: 'PUT',
    path: '/api/v1/projects/{project_id}/checks',
    body: ['checks', 'setup', 'required'],
  },
  getProjectCredentials: { method: 'GET', path: '/api/v1/projects/{project_id}/credentials' },
  setProjectCredentials: {
    method: 'PUT',
    path: '/api/v1/projects/{project_id}/credentials',
    body: ['kind', 'username', 'token'],
    needsBody: true,
  },
  removeProjectCredentials: {
    method: 'DELETE',
    path: '/api/v1/projects/{project_id}/credentials',
    answer: 'nothing',
  },
  rotateProjectKey: { method: 'POST', path: '/api/v1/projects/{project_id}/credentials/rotate' },
  requestProjectIndex: { method: 'POST', path: '/api/v1/projects/{project_id}/index' },
  getProjectIndex: { method: 'GET', path: '/api/v1/projects/{project_id}/index' },
  streamProjectIndex: { method: 'GET', path: '/api/v1/projects/{project_id}/index/events', answer: 'events' },
  listCodeNodes: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/nodes',
    query: ['path', 'prefix', 'kind', 'limit'],
  },
} as const satisfies Record<string, Operation>;
