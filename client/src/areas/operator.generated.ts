// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { AcceptedErasure, ModelPrice, ModelPrices, Scope, ScopeCeiling, WorkspaceName } from './shared.generated.js';

export interface AuditPage {
  items: {
    id: string;
    at: string;
    brand_id: number | null;
    actor: {
      kind: string;
      user_id: number | null;
      token_id: string | null;
      agent_id: string | null;
    };
    action: string;
    subject: string;
    details: Record<string, unknown>;
    request_id: string | null;
    address: string | null;
    credential: string | null;
  }[];
  next_cursor: string | null;
}

export interface CatalogEmployee {
  profile_id: string;
  name: string;
  description: string;
  published: boolean;
  builder: boolean;
  template: EmployeeTemplate | null;
  repository: EmployeeRepository | null;
  created_at: string;
  updated_at: string;
  price_usd?: number;
}

export interface Clock {
  now: string;
}

export interface EmployeeRepository {
  /** Where its code is. */
  url: string;
  /** Null: the repository's default. */
  branch?: string | null;
}

export interface EmployeeTemplate {
  /** Such as `claude_code`. */
  runtime?: string;
  /** The instructions. */
  instructions?: string;
  /** The packages it needs. */
  packages?: string[];
}

export interface FeedSource {
  feed_source_id: string;
  brand_id: number;
  name: string;
  url: string;
  created_at: string;
}

export interface IssuedToken {
  token_id: string;
  name: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  agent_id: string | null;
  brand_id: number;
  user_id: number;
  token: string;
}

export interface JobList {
  jobs: {
    name: string;
    description: string;
    /** A cron line, or `every 20 seconds`; null: when asked for */
    schedule: string | null;
    last_run_at: string | null;
    last_finished_at: string | null;
    /** Of the last run; null when it went well */
    last_error: string | null;
    /** Requested and not started */
    waiting: number;
    /** Failed, to be tried again */
    failing: number;
  }[];
  total: number;
}

export interface JobRun {
  job: string;
  processed: number;
  failed: number;
}

export interface Membership {
  brand_id: number;
  user_id: number;
  role: 'admin' | 'member';
  position: string | null;
  joined_at: string;
}

export interface Package {
  package_id: string;
  brand_id: number;
  name: string;
  version: string;
  enabled: boolean;
  installed_at: string;
}

export interface PartList {
  status: 'healthy' | 'degraded' | 'draining';
  timestamp: string;
  parts: {
    name: string;
    status: 'ok' | 'late' | 'failed' | 'off';
    /** Since it was heard of, or its oldest waits */
    age_seconds: number | null;
    detail: string | null;
  }[];
}

/** The plan, which sets limits. Default: `team`. */
export type PlanName = 'free' | 'team' | 'business' | 'enterprise';

export interface PlatformOverview {
  version: string;
  started_at: string;
  uptime_seconds: number;
  role: 'web' | 'worker' | 'all';
  workspaces: number;
  people: number;
  open_builds: number;
  desks: {
    ready: number;
    unreachable: number;
    total: number;
  };
  queue: {
    waiting: number;
    /** Of the oldest that is due; 0 when none is */
    oldest_seconds: number;
  };
  database: {
    size_bytes: number;
    connections: number;
  };
  memory_mb: number;
}

export interface RegisteredAgent {
  agent_id: string;
  name: string;
  brand_id: number | null;
  created_at: string;
}

export interface User {
  user_id: number;
  email: string;
  full_name: string;
  kind: string;
  has_password: boolean;
  mail_address: string | null;
  created_at: string;
}

export interface UserPage {
  users: {
    user_id: number;
    email: string;
    full_name: string;
    kind: 'person' | 'staff' | 'service';
    workspaces: number;
    created_at: string;
  }[];
  total: number;
  next_cursor: string | null;
}

export interface WholeCatalog {
  employees: CatalogEmployee[];
  total: number;
}

export interface Workspace {
  brand_id: number;
  name: WorkspaceName;
  plan: PlanName;
  /** Whether the workspace can hire. Default: true. */
  subscription_active: boolean;
  scope_ceiling: ScopeCeiling;
  /** true unless said. */
  new_navigation: boolean;
  created_at: string;
}

export interface WorkspaceList {
  brands: Workspace[];
  total: number;
  next_cursor: string | null;
}

export interface WorkspaceMembers {
  members: {
    user_id: number;
    email: string;
    full_name: string;
    role: 'admin' | 'member';
    position: string | null;
    joined_at: string;
  }[];
  total: number;
}

export interface WorkspaceTokens {
  tokens: {
    token_id: string;
    name: string;
    scopes: string[];
    created_at: string;
    expires_at: string | null;
    last_used_at: string | null;
    agent_id: string | null;
    user_id: number;
    full_name: string;
  }[];
  total: number;
}

export interface RegisterAgentArguments {
  /** Unique over the server. */
  agent_id: string;
  /** Its id unless said. */
  name?: string;
  /** Its workspace; null or left out: the platform. */
  brand_id?: number | null;
}

export interface ListPlatformAuditArguments {
  /** `next_cursor` of the page before. */
  cursor?: string;
  /** How many on a page. */
  limit?: number;
  /** Only what happened in this workspace. */
  brand_id?: number;
  /** Only this action, such as `member.removed`. */
  action?: string;
}

export interface CreateWorkspaceArguments {
  name: WorkspaceName;
  plan?: PlanName;
  /** Whether the workspace can hire. Default: true. */
  subscription_active?: boolean;
  scope_ceiling?: ScopeCeiling;
  /** true unless said. */
  new_navigation?: boolean;
}

export interface ListAllWorkspacesArguments {
  /** Only with this text in their name. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** How many on a page; all unless said. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface GetAnyWorkspaceArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
}

export interface ChangeAnyWorkspaceArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
  name?: WorkspaceName;
  plan?: PlanName;
  /** Whether the workspace can hire. Default: true. */
  subscription_active?: boolean;
  scope_ceiling?: ScopeCeiling;
  /** true unless said. */
  new_navigation?: boolean;
}

export interface EraseWorkspaceArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
  /** The workspace's name, to be sure. */
  name: string;
}

export interface ExportWorkspaceArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
}

export interface AddFeedSourceArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
  /** Its name. */
  name: string;
  /** Where the feed is read. */
  url: string;
}

export interface ListWorkspaceMembersArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
}

export interface PutWorkspaceMemberArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
  /** The person, as create_user answered them. */
  user_id: number;
  /** `member` unless said. */
  role?: 'admin' | 'member';
  /** Their part in the team. */
  position?: string | null;
}

export interface DeactivateWorkspaceMemberArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
  /** The person, as create_user answered them. */
  user_id: number;
}

export interface InstallPackageArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
  /** Its name in the marketplace. */
  name: string;
  /** Such as `1.4.0`. */
  version: string;
}

export interface IssueTokenArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
  /** Its owner, a member. */
  user_id: number;
  /** Within the workspace's ceiling. */
  scopes?: Scope[];
  /** A name to recognize the token. */
  name?: string;
  /** When it ends; null or left out: never. */
  expires_at?: string | null;
  /** The agent that acts with it; others read `name (for person)`. */
  agent_id?: string | null;
}

export interface ListWorkspaceTokensArguments {
  /** The workspace, as list_all_workspaces shows it. */
  brand_id: number;
}

export interface CreateCatalogEmployeeArguments {
  /** Its name. */
  name: string;
  /** The description shown in the catalog. */
  description?: string;
  /** Whether workspaces see it. */
  published?: boolean;
  /** Whether a hire comes with a desk. */
  builder?: boolean;
  /** Without one it cannot be hired. */
  template?: EmployeeTemplate | null;
  /** The repository that a builder works on. */
  repository?: EmployeeRepository | null;
  /** For 30 days; null: the subscription includes it. */
  price_usd?: number | null;
}

export interface UpdateCatalogEmployeeArguments {
  /** As list_employees shows it. */
  profile_id: string;
  /** Its name. */
  name?: string;
  /** The description shown in the catalog. */
  description?: string;
  /** Whether workspaces see it. */
  published?: boolean;
  /** Whether a hire comes with a desk. */
  builder?: boolean;
  /** Without one it cannot be hired. */
  template?: EmployeeTemplate | null;
  /** The repository that a builder works on. */
  repository?: EmployeeRepository | null;
  /** For 30 days; null: the subscription includes it. */
  price_usd?: number | null;
}

export interface MoveClockArguments {
  /** How far forward. */
  advance_seconds?: number;
  /** true stops the clock, false lets it run. */
  freeze?: boolean;
}

export interface RunJobArguments {
  /** The job, such as `memory-pickup`; docs/operations.md lists them. */
  name: string;
}

export interface SetPricesArguments {
  /** All of them. */
  prices: ModelPrice[];
}

export interface RevokeAnyTokenArguments {
  /** The token, as issue_token answered it. */
  token_id: string;
}

export interface CreateUserArguments {
  /** For sign-in; unique on the server. */
  email: string;
  /** Their name. */
  full_name: string;
  /** Without one they cannot sign in yet. */
  password?: string | null;
  /** `person` unless said; `staff` serves the platform too, `service` is a program. */
  kind?: 'person' | 'staff' | 'service';
  /** Their name on the mail domain. */
  mail_name?: string | null;
  /** A whole address elsewhere. */
  mail_address?: string | null;
}

export interface ListAllUsersArguments {
  /** Only with this text in name or address, in any case. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface EraseUserArguments {
  /** The person, as create_user answered them. */
  user_id: number;
}

export interface RemoveLostMfaArguments {
  /** The person, as create_user answered them. */
  user_id: number;
}

export interface OperatorMethods {
  /**
   * Register an agent.
   * So that it can have memories and hires. Without `brand_id` it is the platform's.
   */
  registerAgent(fields: RegisterAgentArguments, options?: CallOptions): Promise<RegisteredAgent>;

  /**
   * List the audit log.
   * Of all workspaces or one, newest first.
   */
  listPlatformAudit(fields?: ListPlatformAuditArguments, options?: CallOptions): Promise<AuditPage>;

  /**
   * Create a workspace.
   * Next: create_user, put_workspace_member and issue_token.
   */
  createWorkspace(fields: CreateWorkspaceArguments, options?: CallOptions): Promise<Workspace>;

  /**
   * List all workspaces.
   * By `brand_id`, with plan and scope ceiling. Set `limit` to page.
   */
  listAllWorkspaces(fields?: ListAllWorkspacesArguments, options?: CallOptions): Promise<WorkspaceList>;

  /**
   * Get any workspace.
   * As list_all_workspaces shows it.
   */
  getAnyWorkspace(fields: GetAnyWorkspaceArguments, options?: CallOptions): Promise<Workspace>;

  /**
   * Change a workspace.
   * Only sent fields change. A narrower scope ceiling takes scopes from tokens at once.
   */
  changeAnyWorkspace(fields: ChangeAnyWorkspaceArguments, options?: CallOptions): Promise<Workspace>;

  /**
   * Erase a workspace.
   * Call export_workspace first: this cannot be undone. The job `erase` deletes every row and file.
   */
  eraseWorkspace(fields: EraseWorkspaceArguments, options?: CallOptions): Promise<AcceptedErasure>;

  /**
   * Export a workspace.
   * Lines of `{"table", "row"}`, as of one moment, without passwords, tokens and sealed secrets.
   */
  exportWorkspace(fields: ExportWorkspaceArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Add a feed source.
   * It counts among what the feed switch holds.
   */
  addFeedSource(fields: AddFeedSourceArguments, options?: CallOptions): Promise<FeedSource>;

  /**
   * List the members of any workspace.
   * Active members, by when they joined.
   */
  listWorkspaceMembers(
    fields: ListWorkspaceMembersArguments,
    options?: CallOptions,
  ): Promise<WorkspaceMembers>;

  /**
   * Add a member or change their role.
   * Without a role: `member`. One who was taken out comes back without old sessions and tokens.
   */
  putWorkspaceMember(fields: PutWorkspaceMemberArguments, options?: CallOptions): Promise<Membership>;

  /**
   * Remove a member from any workspace.
   * Ends their sessions and tokens of that workspace. Their work stays.
   */
  deactivateWorkspaceMember(fields: DeactivateWorkspaceMemberArguments, options?: CallOptions): Promise<void>;

  /**
   * Install a marketplace package.
   * An agent's tools follow from what is installed and enabled.
   */
  installPackage(fields: InstallPackageArguments, options?: CallOptions): Promise<Package>;

  /**
   * Issue a token and show its text once.
   * For a member of the workspace.
   */
  issueToken(fields: IssueTokenArguments, options?: CallOptions): Promise<IssuedToken>;

  /**
   * List the tokens of a workspace.
   * Tokens that are not revoked, newest first, at most 500, without their text.
   */
  listWorkspaceTokens(fields: ListWorkspaceTokensArguments, options?: CallOptions): Promise<WorkspaceTokens>;

  /**
   * Create a catalog employee.
   * Seen in list_employees once `published`, and hired once it has a `template`.
   */
  createCatalogEmployee(
    fields: CreateCatalogEmployeeArguments,
    options?: CallOptions,
  ): Promise<CatalogEmployee>;

  /**
   * List all catalog employees, published or not.
   * By name, with their templates.
   */
  listWholeCatalog(fields?: NoArguments, options?: CallOptions): Promise<WholeCatalog>;

  /**
   * Change a catalog employee.
   * Only sent fields change; null removes a template or repository.
   */
  updateCatalogEmployee(
    fields: UpdateCatalogEmployeeArguments,
    options?: CallOptions,
  ): Promise<CatalogEmployee>;

  /**
   * Move or stop the clock of a test server.
   * Only on a server that was started with `GUILDHALL_TEST_CLOCK=1`.
   */
  moveClock(fields?: MoveClockArguments, options?: CallOptions): Promise<Clock>;

  /**
   * Get the state of each part of the service.
   * Returns state and age of each part as this node sees them.
   */
  listPartStates(fields?: NoArguments, options?: CallOptions): Promise<PartList>;

  /**
   * List background jobs and what is queued.
   * For all nodes together. run_job runs one now.
   */
  listJobs(fields?: NoArguments, options?: CallOptions): Promise<JobList>;

  /**
   * Run a background job now.
   * Waits for the run and returns how many items it processed and how many failed.
   */
  runJob(fields: RunJobArguments, options?: CallOptions): Promise<JobRun>;

  /**
   * Get an overview of the server.
   * Version, uptime and memory of this node; counts, queue and database of the server.
   */
  getPlatformOverview(fields?: NoArguments, options?: CallOptions): Promise<PlatformOverview>;

  /**
   * Say what models cost.
   * All prices from now on; what was worked out stays.
   */
  setPrices(fields: SetPricesArguments, options?: CallOptions): Promise<ModelPrices>;

  /**
   * Revoke any token.
   * For a token that leaked or whose owner is gone.
   */
  revokeAnyToken(fields: RevokeAnyTokenArguments, options?: CallOptions): Promise<void>;

  /**
   * Create a person or a service account.
   * A person needs a password and a workspace (put_workspace_member) to sign in.
   */
  createUser(fields: CreateUserArguments, options?: CallOptions): Promise<User>;

  /**
   * List all people and service accounts.
   * By `user_id`, with the number of their workspaces.
   */
  listAllUsers(fields?: ListAllUsersArguments, options?: CallOptions): Promise<UserPage>;

  /**
   * Erase a person.
   * As erase_my_account, also when a workspace is left without an admin.
   */
  eraseUser(fields: EraseUserArguments, options?: CallOptions): Promise<AcceptedErasure>;

  /**
   * Remove a person's lost second factor.
   * Verify the person's identity first. Ends recovery codes and sessions and notifies the person by mail.
   * Tokens stay valid.
   */
  removeLostMfa(fields: RemoveLostMfaArguments, options?: CallOptions): Promise<void>;
}

export interface OperatorLists {
  listPlatformAudit: { fields: ListPlatformAuditArguments; item: AuditPage['items'][number] };
  listAllWorkspaces: { fields: ListAllWorkspacesArguments; item: Workspace };
  listAllUsers: { fields: ListAllUsersArguments; item: UserPage['users'][number] };
}

export const operator = {
  registerAgent: {
    method: 'POST',
    path: '/api/v1/admin/agents',
    body: ['agent_id', 'name', 'brand_id'],
    needsBody: true,
    operator: true,
  },
  listPlatformAudit: {
    method: 'GET',
    path: '/api/v1/admin/audit',
    query: ['cursor', 'limit', 'brand_id', 'action'],
    operator: true,
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items', key: 'id' },
  },
  createWorkspace: {
    method: 'POST',
    path: '/api/v1/admin/brands',
    body: ['name', 'plan', 'subscription_active', 'scope_ceiling', 'new_navigation'],
    needsBody: true,
    operator: true,
  },
  listAllWorkspaces: {
    method: 'GET',
    path: '/api/v1/admin/brands',
    query: ['query', 'q', 'limit', 'cursor'],
    operator: true,
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'brands', key: 'brand_id' },
  },
  getAnyWorkspace: { method: 'GET', path: '/api/v1/admin/brands/{brand_id}', operator: true },
  changeAnyWorkspace: {
    method: 'PATCH',
    path: '/api/v1/admin/brands/{brand_id}',
    body: ['name', 'plan', 'subscription_active', 'scope_ceiling', 'new_navigation'],
    operator: true,
  },
  eraseWorkspace: {
    method: 'DELETE',
    path: '/api/v1/admin/brands/{brand_id}',
    body: ['name'],
    needsBody: true,
    operator: true,
  },
  exportWorkspace: {
    method: 'GET',
    path: '/api/v1/admin/brands/{brand_id}/export',
    answer: 'bytes',
    operator: true,
  },
  addFeedSource: {
    method: 'POST',
    path: '/api/v1/admin/brands/{brand_id}/feed-sources',
    body: ['name', 'url'],
    needsBody: true,
    operator: true,
  },
  listWorkspaceMembers: { method: 'GET', path: '/api/v1/admin/brands/{brand_id}/members', operator: true },
  putWorkspaceMember: {
    method: 'PUT',
    path: '/api/v1/admin/brands/{brand_id}/members/{user_id}',
    body: ['role', 'position'],
    operator: true,
  },
  deactivateWorkspaceMember: {
    method: 'DELETE',
    path: '/api/v1/admin/brands/{brand_id}/members/{user_id}',
    answer: 'nothing',
    operator: true,
  },
  installPackage: {
    method: 'POST',
    path: '/api/v1/admin/brands/{brand_id}/packages',
    body: ['name', 'version'],
    needsBody: true,
    operator: true,
  },
  issueToken: {
    method: 'POST',
    path: '/api/v1/admin/brands/{brand_id}/tokens',
    body: ['user_id', 'scopes', 'name', 'expires_at', 'agent_id'],
    needsBody: true,
    operator: true,
  },
  listWorkspaceTokens: { method: 'GET', path: '/api/v1/admin/brands/{brand_id}/tokens', operator: true },
  createCatalogEmployee: {
    method: 'POST',
    path: '/api/v1/admin/catalog',
    body: ['name', 'description', 'published', 'builder', 'template', 'repository', 'price_usd'],
    needsBody: true,
    operator: true,
  },
  listWholeCatalog: { method: 'GET', path: '/api/v1/admin/catalog', operator: true },
  updateCatalogEmployee: {
    method: 'PATCH',
    path: '/api/v1/admin/catalog/{profile_id}',
    body: ['name', 'description', 'published', 'builder', 'template', 'repository', 'price_usd'],
    operator: true,
  },
  moveClock: {
    method: 'POST',
    path: '/api/v1/admin/clock',
    body: ['advance_seconds', 'freeze'],
    operator: true,
  },
  listPartStates: { method: 'GET', path: '/api/v1/admin/health', operator: true },
  listJobs: { method: 'GET', path: '/api/v1/admin/jobs', operator: true },
  runJob: { method: 'POST', path: '/api/v1/admin/jobs/{name}/run', operator: true },
  getPlatformOverview: { method: 'GET', path: '/api/v1/admin/overview', operator: true },
  setPrices: {
    method: 'PUT',
    path: '/api/v1/admin/prices',
    body: ['prices'],
    needsBody: true,
    operator: true,
  },
  revokeAnyToken: {
    method: 'DELETE',
    path: '/api/v1/admin/tokens/{token_id}',
    answer: 'nothing',
    operator: true,
  },
  createUser: {
    method: 'POST',
    path: '/api/v1/admin/users',
    body: ['email', 'full_name', 'password', 'kind', 'mail_name', 'mail_address'],
    needsBody: true,
    operator: true,
  },
  listAllUsers: {
    method: 'GET',
    path: '/api/v1/admin/users',
    query: ['query', 'q', 'limit', 'cursor'],
    operator: true,
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'users', key: 'user_id' },
  },
  eraseUser: { method: 'DELETE', path: '/api/v1/admin/users/{user_id}', operator: true },
  removeLostMfa: {
    method: 'DELETE',
    path: '/api/v1/admin/users/{user_id}/mfa',
    answer: 'nothing',
    operator: true,
  },
} as const satisfies Record<string, Operation>;
