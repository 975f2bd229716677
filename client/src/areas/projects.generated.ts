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
  /** Whether the repository exceeds the limits; warnings say what was left out. */
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
  /** Add it at the host with read access */
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
  /** Host, with its port unless 22: `[git.example]:2222` */
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
    /** Pinned key of an ssh host */
    host_key: string | null;
  } | null;
  created_at: string;
  updated_at: string;
}

export interface ProjectCheck {
  /** Unique name. */
  name: string;
  /** Command, run by `sh -c`. */
  command: string;
  /** Time limit in minutes. */
  minutes?: number;
}

export interface ProjectChecks {
  /** Checks a build must pass, in order. */
  checks?: ProjectCheck[];
  /** Runs in a checkout before the coder, and before the checks. */
  setup?: CheckSetup | null;
  /** Whether a failed check holds the build; default true. */
  required?: boolean;
}

export interface ProjectList {
  projects: Project[];
  total: number;
}

export interface ProjectSecret {
  name: string;
  to: ('setup' | 'checks' | 'coder')[];
  created_at: string;
  updated_at: string;
}

export interface ProjectSecretList {
  secrets: ProjectSecret[];
}

export interface RepositoryCredentials {
  kind: 'workspace' | 'deploy_key' | 'token';
  public_key: string | null;
  fingerprint: string | null;
  /** Old key, tried until the new one has worked */
  former_fingerprint: string | null;
  username: string | null;
  /** The only host the token is sent to */
  host: string | null;
  created_at: string | null;
  used_at: string | null;
}

export interface RepositoryInput {
  /** https or ssh address. Admins may also use a local path of the server. */
  url: string;
  /** The branch to index; null or left out uses the repository's default. */
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
  /** The host as list_host_keys shows it, with its port unless 22: `[git.example]:2222`. */
  host: string;
}

export interface ReceiveForgeHookArguments {
  /** The id of the project. */
  project_id: string;
  /** The delivery as the host sends it. */
  body: Blob;
}

export interface CreateProjectArguments {
  /** Name of the project. */
  name: string;
  /** Its repository, which you can also attach later. */
  repository?: RepositoryInput | null;
}

export interface GetProjectArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface UpdateProjectArguments {
  /** The project, from list_projects. */
  project_id: string;
  /** Name of the project. */
  name?: string;
  /** Its repository; null detaches it. */
  repository?: RepositoryInput | null;
}

export interface DeleteProjectArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface GetProjectChecksArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface SetProjectChecksArguments {
  /** The project, from list_projects. */
  project_id: string;
  /** Checks a build must pass, in order. */
  checks?: ProjectCheck[];
  /** Runs in a checkout before the coder, and before the checks. */
  setup?: CheckSetup | null;
  /** Whether a failed check holds the build; default true. */
  required?: boolean;
}

export interface GetProjectCredentialsArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface SetProjectCredentialsArguments {
  /** The project, from list_projects. */
  project_id: string;
  /** The workspace's key, a deploy key of its own, or a token for https. */
  kind: 'workspace' | 'deploy_key' | 'token';
  /** User name to send with the token; default x-access-token. */
  username?: string;
  /** Never returned; sent only to the host of the current repository. */
  token?: string;
}

export interface RemoveProjectCredentialsArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface RotateProjectKeyArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface GetForgeArguments {
  /** The id of the project, from list_projects. */
  project_id: string;
}

export interface ConnectForgeArguments {
  /** The id of the project, from list_projects. */
  project_id: string;
  /** The kind of host. */
  kind: 'github' | 'gitlab' | 'forgejo';
  /**
   * The address of the host's API: https, or http on loopback. Default: derived from the project's
   * repository_url.
   */
  api_url?: string;
  /** `owner/name`. Default: derived from the repository_url. */
  repository?: string;
  /** The access token. Checked before it is stored and never returned. */
  token: string;
  /** Turns issues into cards. Null or absent: no issues are read. */
  issues?: {
    /** Open issues with this label become cards. */
    label: string;
    /** The board of the new cards, by key or id. Default: the board with the project's name. */
    board_id?: string | null;
  } | null;
}

export interface DisconnectForgeArguments {
  /** The id of the project, from list_projects. */
  project_id: string;
}

export interface RenewHookSecretArguments {
  /** The id of the project, from list_projects. */
  project_id: string;
}

export interface RequestProjectIndexArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface GetProjectIndexArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface StreamProjectIndexArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface ListCodeNodesArguments {
  /** The project, from list_projects. */
  project_id: string;
  /** Exact path: a folder ends with `/`, a symbol is `<file>#<Symbol.name>`. */
  path?: string;
  /** Only paths with this prefix. */
  prefix?: string;
  /** Only nodes of this kind. */
  kind?: 'folder' | 'file' | 'symbol';
  /** Maximum number of nodes; default 100. */
  limit?: number;
}

export interface ListProjectSecretsArguments {
  /** The project, from list_projects. */
  project_id: string;
}

export interface SetProjectSecretArguments {
  /** The project, from list_projects. */
  project_id: string;
  /** The name of the environment variable: 1 to 64 of A-Z, 0-9 and _. */
  name: string;
  /** At most 64 KiB. Never returned. */
  value: string;
  /** Who gets it as an environment variable. Default: setup and checks. */
  to?: ('setup' | 'checks' | 'coder')[];
}

export interface DeleteProjectSecretArguments {
  /** The project, from list_projects. */
  project_id: string;
  /** The name of the environment variable: 1 to 64 of A-Z, 0-9 and _. */
  name: string;
}

export interface ProjectsMethods {
  /**
   * Get the workspace's key for ssh repositories.
   * Created on first use. Add it at the host of each private repository. (`brand:admin`) Admins only.
   */
  getDeployKey(fields: GetDeployKeyArguments, options?: CallOptions): Promise<DeployKey>;

  /**
   * List the pinned keys of ssh hosts.
   * A key is pinned when a repository of the host is first read; other keys are then refused. (`brand:admin`)
   * Admins only.
   */
  listHostKeys(fields: ListHostKeysArguments, options?: CallOptions): Promise<HostKeyList>;

  /**
   * Forget a host's pinned key.
   * Use it when a host changed its key; its next key is pinned. Check the new fingerprint first.
   * (`brand:admin`) Admins only.
   */
  forgetHostKey(fields: ForgetHostKeyArguments, options?: CallOptions): Promise<void>;

  /**
   * Receive a webhook of a repository host.
   * Authenticated by its signature. A job then asks the host about what the delivery names.
   */
  receiveForgeHook(fields: ReceiveForgeHookArguments, options?: CallOptions): Promise<void>;

  /**
   * Create a project.
   * A project owns lessons and a code index. Follow indexing with get_project_index.
   */
  createProject(fields: CreateProjectArguments, options?: CallOptions): Promise<Project>;

  /**
   * List the projects of the workspace.
   * Lesson tools need the project_id. (`code:read`)
   */
  listProjects(fields?: NoArguments, options?: CallOptions): Promise<ProjectList>;

  /**
   * Get a project.
   * Returns its name and repository. (`code:read`)
   */
  getProject(fields: GetProjectArguments, options?: CallOptions): Promise<Project>;

  /**
   * Rename a project, attach or detach its repository.
   * Changes only the fields you send. Indexes a new repository automatically; null detaches it.
   */
  updateProject(fields: UpdateProjectArguments, options?: CallOptions): Promise<Project>;

  /**
   * Delete a project, its index and its lessons.
   * This cannot be undone. Admins only.
   */
  deleteProject(fields: DeleteProjectArguments, options?: CallOptions): Promise<void>;

  /**
   * Get the setup and checks of a project.
   * When both are empty, `.guildhall/checks.yaml` of the repository applies. (`code:read`)
   */
  getProjectChecks(fields: GetProjectChecksArguments, options?: CallOptions): Promise<ProjectChecks>;

  /**
   * Set the setup and checks of a project.
   * Replaces the whole definition: fields left out are reset. Admins only.
   */
  setProjectChecks(fields: SetProjectChecksArguments, options?: CallOptions): Promise<ProjectChecks>;

  /**
   * Get a project's repository credentials.
   * Add the public key at the host. Secrets are never returned. (`code:read`)
   */
  getProjectCredentials(
    fields: GetProjectCredentialsArguments,
    options?: CallOptions,
  ): Promise<RepositoryCredentials>;

  /**
   * Set the deploy key or token of a project.
   * Keeps an existing deploy key. (`brand:admin`) Admins only.
   */
  setProjectCredentials(
    fields: SetProjectCredentialsArguments,
    options?: CallOptions,
  ): Promise<RepositoryCredentials>;

  /**
   * Remove the credentials of a project.
   * Deletes the project's key or token. The project uses the workspace's key again. (`brand:admin`) Admins
   * only.
   */
  removeProjectCredentials(fields: RemoveProjectCredentialsArguments, options?: CallOptions): Promise<void>;

  /**
   * Replace the deploy key of a project.
   * The old key is tried until the new one has worked. (`brand:admin`) Admins only.
   */
  rotateProjectKey(fields: RotateProjectKeyArguments, options?: CallOptions): Promise<RepositoryCredentials>;

  /**
   * Get a project's repository host.
   * Includes the result of the last sync. The token is never returned. (`code:read`)
   */
  getForge(fields: GetForgeArguments, options?: CallOptions): Promise<Forge>;

  /**
   * Connect a project to GitHub, GitLab or Forgejo.
   * Accepted builds then open pull requests there. The token is checked first; 422 says what is wrong with
   * it. (`brand:admin`) Admins only.
   */
  connectForge(fields: ConnectForgeArguments, options?: CallOptions): Promise<Forge>;

  /**
   * Disconnect a project from its repository host.
   * Pull requests stay open on the host and are no longer synced. (`brand:admin`) Admins only.
   */
  disconnectForge(fields: DisconnectForgeArguments, options?: CallOptions): Promise<void>;

  /**
   * Create a secret for the host's webhook.
   * Returned only once. The previous secret stays valid for 24 hours. (`brand:admin`) Admins only.
   */
  renewHookSecret(fields: RenewHookSecretArguments, options?: CallOptions): Promise<HookSecret>;

  /**
   * Index the repository now.
   * Runs in the background. Returns the waiting run when there is one.
   */
  requestProjectIndex(fields: RequestProjectIndexArguments, options?: CallOptions): Promise<RequestedIndex>;

  /**
   * Get the newest index run.
   * `status`, `progress` and `error` describe the newest run; files, nodes and edges the last successful one.
   * (`code:read`)
   */
  getProjectIndex(fields: GetProjectIndexArguments, options?: CallOptions): Promise<CodeIndex>;

  /**
   * Follow the newest index run.
   * Server-sent events with the same data as get_project_index, until the event `end`: ready or failed.
   * (`code:read`)
   */
  streamProjectIndex(
    fields: StreamProjectIndexArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<CodeIndex>, void, undefined>;

  /**
   * List live code: folders, files, symbols.
   * Pass the `node_id` to find_lessons_near and lookup_anchors. (`code:read`)
   */
  listCodeNodes(fields: ListCodeNodesArguments, options?: CallOptions): Promise<CodeNodeList>;

  /**
   * List the secrets of a project.
   * Values are never returned. (`code:read`)
   */
  listProjectSecrets(fields: ListProjectSecretsArguments, options?: CallOptions): Promise<ProjectSecretList>;

  /**
   * Set a secret of a project.
   * Builds and checks that start afterwards get it as an environment variable. Logs and results mask it.
   * (`brand:admin`) Admins only.
   */
  setProjectSecret(fields: SetProjectSecretArguments, options?: CallOptions): Promise<ProjectSecret>;

  /**
   * Delete a secret of a project.
   * Builds that are running keep it. (`brand:admin`) Admins only.
   */
  deleteProjectSecret(fields: DeleteProjectSecretArguments, options?: CallOptions): Promise<void>;
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
  listProjectSecrets: { method: 'GET', path: '/api/v1/projects/{project_id}/secrets' },
  setProjectSecret: {
    method: 'PUT',
    path: '/api/v1/projects/{project_id}/secrets/{name}',
    body: ['value', 'to'],
    needsBody: true,
  },
  deleteProjectSecret: {
    method: 'DELETE',
    path: '/api/v1/projects/{project_id}/secrets/{name}',
    answer: 'nothing',
  },
} as const satisfies Record<string, Operation>;
