// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments, ServerEvent, StreamOptions } from '../core/options.js';
import type { Actor, CheckSetup } from './shared.generated.js';

export interface CodeIndex {
  index_id: string;
  status: 'queued' | 'running' | 'ready' | 'failed';
  commit: string | null;
  files: number;
  nodes: number;
  edges: number;
  lessons: number;
  warnings: string[];
  /** Larger than what is read of one; warnings say what was left out. */
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

export interface Forge {
  kind: 'github' | 'gitlab' | 'forgejo';
  api_url: string;
  repository: string;
  default_branch: string;
  issues: {
    label: string;
    board_id: string | null;
  } | null;
  hook: {
    url: string;
    secret_set: boolean;
    last_at: string | null;
  };
  checked_at: string | null;
  error: string | null;
  connected_by: Actor | null;
  connected_at: string;
}

export interface HookSecret {
  secret: string;
}

export interface HostKey {
  /** With its port unless 22: `[git.example]:2222` */
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
    /** Of an ssh host, pinned when first met */
    host_key: string | null;
  } | null;
  created_at: string;
  updated_at: string;
}

export interface ProjectCheck {
  /** Unique. */
  name: string;
  /** Run by `sh -c`. */
  command: string;
  /** Its time limit. */
  minutes?: number;
}

export interface ProjectChecks {
  /** What has to hold of a build, in turn. */
  checks?: ProjectCheck[];
  /** Run in a checkout before the coder, and before the checks. */
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
  /** Tried until the new one has worked */
  former_fingerprint: string | null;
  username: string | null;
  /** Where the token goes, and nowhere else */
  host: string | null;
  created_at: string | null;
  used_at: string | null;
}

export interface RepositoryInput {
  /** https or ssh; an admin may name a local path of the server. */
  url: string;
  /** Null or left out: the repository's default. */
  branch?: string | null;
}

export interface RequestedIndex {
  index_id: string;
  status: 'queued' | 'running' | 'ready' | 'failed';
}

export interface GetDeployKeyArguments {
  /** The credential's workspace. */
  brand_id: number;
}

export interface ListHostKeysArguments {
  /** The credential's workspace. */
  brand_id: number;
}

export interface ForgetHostKeyArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** As list_host_keys shows it; with its port unless 22: `[git.example]:2222`. */
  host: string;
}

export interface ReceiveForgeHookArguments {
  /** The project. */
  project_id: string;
  /** As the host sends it. */
  body: Blob;
}

export interface CreateProjectArguments {
  /** Its name. */
  name: string;
  /** Where its code is; can be attached later. */
  repository?: RepositoryInput | null;
}

export interface GetProjectArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface UpdateProjectArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** Its name. */
  name?: string;
  /** Where its code is; null detaches it. */
  repository?: RepositoryInput | null;
}

export interface DeleteProjectArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface GetProjectChecksArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface SetProjectChecksArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** What has to hold of a build, in turn. */
  checks?: ProjectCheck[];
  /** Run in a checkout before the coder, and before the checks. */
  setup?: CheckSetup | null;
  /** Whether a failed check holds the build. */
  required?: boolean;
}

export interface GetProjectCredentialsArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface SetProjectCredentialsArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** The workspace's key, its own, or a token for https. */
  kind: 'workspace' | 'deploy_key' | 'token';
  /** Goes with the token; x-access-token unless said. */
  username?: string;
  /** Never shown; sent to the present host only. */
  token?: string;
}

export interface RemoveProjectCredentialsArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface RotateProjectKeyArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface GetForgeArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface ConnectForgeArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** What the host speaks. */
  kind: 'github' | 'gitlab' | 'forgejo';
  /** https, or http on loopback; left out, from the repository's address. */
  api_url?: string;
  /** `owner/name`; left out, as above. */
  repository?: string;
  /** Tried before it is kept; never shown. */
  token: string;
  /** Null or left out: none. */
  issues?: {
    /** Issues that carry it become cards. */
    label: string;
    /** By key or id; left out: a board of the project's name. */
    board_id?: string | null;
  } | null;
}

export interface DisconnectForgeArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface RenewHookSecretArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface RequestProjectIndexArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface GetProjectIndexArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface StreamProjectIndexArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
}

export interface ListCodeNodesArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** This path: a folder ends with `/`, a symbol is `<file>#<Symbol.name>`. */
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
   * Read the workspace's key for ssh repositories.
   * Made when first needed. Add it at the host of each private repository. (`brand:admin`) Admins only.
   */
  getDeployKey(fields: GetDeployKeyArguments, options?: CallOptions): Promise<DeployKey>;

  /**
   * List the pinned keys of ssh hosts.
   * Pinned when a repository there is first read; another key is refused from then on. (`brand:admin`) Admins
   * only.
   */
  listHostKeys(fields: ListHostKeysArguments, options?: CallOptions): Promise<HostKeyList>;

  /**
   * Forget a host's key; its next one is pinned.
   * For a host that changed its key: check the new fingerprint with it first. (`brand:admin`) Admins only.
   */
  forgetHostKey(fields: ForgetHostKeyArguments, options?: CallOptions): Promise<void>;

  /**
   * The webhook of a host of repositories.
   * Taken by its signature alone; what it names is asked about soon.
   */
  receiveForgeHook(fields: ReceiveForgeHookArguments, options?: CallOptions): Promise<void>;

  /**
   * Make a project.
   * Lessons and the code index belong to it. get_project_index follows the indexing.
   */
  createProject(fields: CreateProjectArguments, options?: CallOptions): Promise<Project>;

  /**
   * List the projects of the workspace.
   * Lesson tools ask for the project_id. (`code:read`)
   */
  listProjects(fields?: NoArguments, options?: CallOptions): Promise<ProjectList>;

  /**
   * Read a project.
   * Its name and repository. (`code:read`)
   */
  getProject(fields: GetProjectArguments, options?: CallOptions): Promise<Project>;

  /**
   * Rename a project, attach or detach its repository.
   * Only sent fields change. A new repository is indexed by itself; null detaches it.
   */
  updateProject(fields: UpdateProjectArguments, options?: CallOptions): Promise<Project>;

  /**
   * Delete a project, its index and its lessons.
   * For good: it cannot be undone. Admins only.
   */
  deleteProject(fields: DeleteProjectArguments, options?: CallOptions): Promise<void>;

  /**
   * Read setup and checks of a project.
   * Empty: `.guildhall/checks.yaml` of the repository counts. (`code:read`)
   */
  getProjectChecks(fields: GetProjectChecksArguments, options?: CallOptions): Promise<ProjectChecks>;

  /**
   * Set setup and checks of a project.
   * Whole: what is left out is gone. Admins only.
   */
  setProjectChecks(fields: SetProjectChecksArguments, options?: CallOptions): Promise<ProjectChecks>;

  /**
   * Read with what a project reaches its repository.
   * Add a public key at the host. Secrets are never shown. (`code:read`)
   */
  getProjectCredentials(
    fields: GetProjectCredentialsArguments,
    options?: CallOptions,
  ): Promise<RepositoryCredentials>;

  /**
   * Give a project a key or a token of its own.
   * A key that it has already stays. (`brand:admin`) Admins only.
   */
  setProjectCredentials(
    fields: SetProjectCredentialsArguments,
    options?: CallOptions,
  ): Promise<RepositoryCredentials>;

  /**
   * Go back to the workspace's key.
   * The key or token of the project is gone for good. (`brand:admin`) Admins only.
   */
  removeProjectCredentials(fields: RemoveProjectCredentialsArguments, options?: CallOptions): Promise<void>;

  /**
   * Replace the deploy key of a project.
   * The key before it is tried until the new one has worked. (`brand:admin`) Admins only.
   */
  rotateProjectKey(fields: RotateProjectKeyArguments, options?: CallOptions): Promise<RepositoryCredentials>;

  /**
   * Read which host a project's pull requests are on.
   * And what was last heard of it. The token is never shown. (`code:read`)
   */
  getForge(fields: GetForgeArguments, options?: CallOptions): Promise<Forge>;

  /**
   * Connect a project with GitHub, GitLab or Forgejo.
   * Accepted builds become pull requests there. The token is tried first. (`brand:admin`) Admins only.
   */
  connectForge(fields: ConnectForgeArguments, options?: CallOptions): Promise<Forge>;

  /**
   * Disconnect a project from its host.
   * Pull requests stay open there; nothing follows them any more. (`brand:admin`) Admins only.
   */
  disconnectForge(fields: DisconnectForgeArguments, options?: CallOptions): Promise<void>;

  /**
   * Make a secret for the host's webhook.
   * Shown once. The one before it is taken for 24 hours more. (`brand:admin`) Admins only.
   */
  renewHookSecret(fields: RenewHookSecretArguments, options?: CallOptions): Promise<HookSecret>;

  /**
   * Look at the repository now.
   * It runs in the background. A pass that waits already is answered again.
   */
  requestProjectIndex(fields: RequestProjectIndexArguments, options?: CallOptions): Promise<RequestedIndex>;

  /**
   * How the newest index pass stands.
   * `status`, `progress` and `error` are of the newest pass; files, nodes and edges of the last that
   * succeeded. (`code:read`)
   */
  getProjectIndex(fields: GetProjectIndexArguments, options?: CallOptions): Promise<CodeIndex>;

  /**
   * Follow the newest index pass.
   * Server-sent events of what get_project_index answers, until the event `end`: ready or failed.
   * (`code:read`)
   */
  streamProjectIndex(
    fields: StreamProjectIndexArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<CodeIndex>, void, undefined>;

  /**
   * List live code: folders, files, symbols.
   * find_lessons_near and lookup_anchors take the `node_id`. (`code:read`)
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
  receiveForgeHook: { method: 'POST', path: '/api/v1/hooks/{project_id}', raw: '*/*', answer: 'nothing' },
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
  getForge: { method: 'GET', path: '/api/v1/projects/{project_id}/forge' },
  connectForge: {
    method: 'PUT',
    path: '/api/v1/projects/{project_id}/forge',
    body: ['kind', 'api_url', 'repository', 'token', 'issues'],
    needsBody: true,
  },
  disconnectForge: { method: 'DELETE', path: '/api/v1/projects/{project_id}/forge', answer: 'nothing' },
  renewHookSecret: { method: 'POST', path: '/api/v1/projects/{project_id}/forge/hook-secret' },
  requestProjectIndex: { method: 'POST', path: '/api/v1/projects/{project_id}/index' },
  getProjectIndex: { method: 'GET', path: '/api/v1/projects/{project_id}/index' },
  streamProjectIndex: { method: 'GET', path: '/api/v1/projects/{project_id}/index/events', answer: 'events' },
  listCodeNodes: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/nodes',
    query: ['path', 'prefix', 'kind', 'limit'],
  },
} as const satisfies Record<string, Operation>;
