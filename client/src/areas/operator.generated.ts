// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { AcceptedErasure, TokenScope, WorkspaceName } from './shared.generated.js';

export interface AuditPage {
  items: {
    id: string;
    at: string;
    brand_id: number | null;
    actor: {
      kind: string;
      user_id: number | null;
      token_id: string | null;
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
  /** The branch to work from; null: the repository's default. */
  branch?: string | null;
}

export interface EmployeeTemplate {
  /** The coding agent of its desk, such as `claude_code`. */
  runtime?: string;
  /** What it is told about its work. */
  instructions?: string;
  /** The packages that it needs. */
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
  brand_id: number;
  user_id: number;
  token: string;
}

export interface JobList {
  jobs: {
    name: string;
    description: string;
    /** A cron line, or `every 20 seconds`; null: only when asked for */
    schedule: string | null;
    last_run_at: string | null;
    last_finished_at: string | null;
    /** Of the last run; null when it went well */
    last_error: string | null;
    /** Runs that are asked for and have not begun */
    waiting: number;
    /** Runs that failed and are tried again */
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
    /** How long the oldest that is due waits; 0 when none does */
    oldest_seconds: number;
  };
  database: {
    size_bytes: number;
    connections: number;
  };
  /** Of the node that answers */
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
    /** Of how many they are a member */
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
  /** What it may use and how much; `team` unless said. */
  plan: 'free' | 'team' | 'business' | 'enterprise';
  /** Whether it pays; without it nobody can be hired. true unless said. */
  subscription_active: boolean;
  /** The scopes that its tokens may hold at all. */
  scope_ceiling: TokenScope[];
  /** Whether its dashboard shows the new navigation; true unless said. */
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
    user_id: number;
    full_name: string;
  }[];
  total: number;
}

export interface RegisterAgentArguments {
  /** Its id wherever it is named; unique over the server. It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
  /** What people call it; its id unless said. It must not be blank. */
  name?: string;
  /** The workspace that owns it; null or left out: the platform. */
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
  /** What it may use and how much; `team` unless said. */
  plan?: 'free' | 'team' | 'business' | 'enterprise';
  /** Whether it pays; without it nobody can be hired. true unless said. */
  subscription_active?: boolean;
  /** The scopes that its tokens may hold at all. */
  scope_ceiling?: TokenScope[];
  /** Whether its dashboard shows the new navigation; true unless said. */
  new_navigation?: boolean;
}

export interface ListAllWorkspacesArguments {
  /** Only those with this text in their name. */
  q?: string;
  /** How many on a page; all unless said. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface GetAnyWorkspaceArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
}

export interface ChangeAnyWorkspaceArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
  name?: WorkspaceName;
  /** What it may use and how much; `team` unless said. */
  plan?: 'free' | 'team' | 'business' | 'enterprise';
  /** Whether it pays; without it nobody can be hired. true unless said. */
  subscription_active?: boolean;
  /** The scopes that its tokens may hold at all. */
  scope_ceiling?: TokenScope[];
  /** Whether its dashboard shows the new navigation; true unless said. */
  new_navigation?: boolean;
}

export interface EraseWorkspaceArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
  /** The name of the workspace, to be sure it is this one. */
  name: string;
}

export interface ExportWorkspaceArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
}

export interface AddFeedSourceArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
  /** What people call it. It must not be blank. */
  name: string;
  /** Where the feed is read. */
  url: string;
}

export interface ListWorkspaceMembersArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
}

export interface PutWorkspaceMemberArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
  /** The person, as create_user answered their user_id. */
  user_id: number;
  /** `member` unless said. */
  role?: 'admin' | 'member';
  /** What they do in the team, in their words. */
  position?: string | null;
}

export interface DeactivateWorkspaceMemberArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
  /** The member, by their user_id. */
  user_id: number;
}

export interface InstallPackageArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
  /** The name of the package in the marketplace. It must not be blank. */
  name: string;
  /** Its version, such as `1.4.0`. */
  version: string;
}

export interface IssueTokenArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
  /** The member whose token it is. */
  user_id: number;
  /** What it may do; each must be within the workspace's ceiling. */
  scopes?: TokenScope[];
  /** What tells it from other tokens. It must not be blank. */
  name?: string;
  /** When it stops working; null or left out: never. */
  expires_at?: string | null;
}

export interface ListWorkspaceTokensArguments {
  /** The workspace, as list_all_workspaces shows its brand_id. */
  brand_id: number;
}

export interface CreateCatalogEmployeeArguments {
  /** What the employee is called. It must not be blank. */
  name: string;
  /** What it can do, for those who think of hiring it. */
  description?: string;
  /** Whether workspaces see it. */
  published?: boolean;
  /** Whether a hire of it comes with a desk of its own. */
  builder?: boolean;
  /** How its agent is built; without one it cannot be hired. */
  template?: EmployeeTemplate | null;
  /** What a builder works on. */
  repository?: EmployeeRepository | null;
  /** What each period of 30 days costs; null: the subscription includes it. */
  price_usd?: number | null;
}

export interface UpdateCatalogEmployeeArguments {
  /** The employee, as list_employees shows its profile_id. */
  profile_id: string;
  /** What the employee is called. It must not be blank. */
  name?: string;
  /** What it can do, for those who think of hiring it. */
  description?: string;
  /** Whether workspaces see it. */
  published?: boolean;
  /** Whether a hire of it comes with a desk of its own. */
  builder?: boolean;
  /** How its agent is built; without one it cannot be hired. */
  template?: EmployeeTemplate | null;
  /** What a builder works on. */
  repository?: EmployeeRepository | null;
  /** What each period of 30 days costs; null: the subscription includes it. */
  price_usd?: number | null;
}

export interface MoveClockArguments {
  /** How far to move the clock forward. */
  advance_seconds?: number;
  /** true stops the clock, false lets it run. */
  freeze?: boolean;
}

export interface RunJobArguments {
  /** The name of the job, such as `memory-pickup`; docs/operations.md lists them. */
  name: string;
}

export interface RevokeAnyTokenArguments {
  /** The token, as issue_token answered its token_id. */
  token_id: string;
}

export interface CreateUserArguments {
  /** The address they sign in with; unique over the server. It must be an e-mail address. */
  email: string;
  /**
   * Their name as others see it. It must not be blank and must not contain line breaks or other control
   * characters.
   */
  full_name: string;
  /** At least 8 characters; without one they cannot sign in yet. */
  password?: string | null;
  /** `person` unless said; `staff` also serves the platform, `service` is a program. */
  kind?: 'person' | 'staff' | 'service';
  /**
   * The name of their address on the mail domain. It must have 3 to 30 lowercase letters, numbers or hyphens,
   * and start and end with a letter or number.
   */
  mail_name?: string | null;
  /** A whole address of theirs, when it is on another domain. It must be an e-mail address. */
  mail_address?: string | null;
}

export interface ListAllUsersArguments {
  /** Only those with this text in their name or address, in whatever case. */
  q?: string;
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface EraseUserArguments {
  /** The person, as create_user answered their user_id. */
  user_id: number;
}

export interface RemoveLostMfaArguments {
  /** The person, by their user_id. */
  user_id: number;
}

export interface OperatorMethods {
  /**
   * Register an agent of a workspace, or of the platform.
   * So that it can have memories and hires before it first writes one. Without `brand_id` it is an agent of
   * the platform.
   */
  registerAgent(fields: RegisterAgentArguments, options?: CallOptions): Promise<RegisteredAgent>;

  /**
   * Who did what, newest first.
   * What people, tokens and the operator changed, over all workspaces or in one. `next_cursor` is sent back
   * as `cursor` for older entries and is null at the end.
   */
  listPlatformAudit(fields?: ListPlatformAuditArguments, options?: CallOptions): Promise<AuditPage>;

  /**
   * Make a workspace.
   * Answers the workspace with its `brand_id`. Next: create_user, put_workspace_member and issue_token.
   */
  createWorkspace(fields: CreateWorkspaceArguments, options?: CallOptions): Promise<Workspace>;

  /**
   * All workspaces.
   * Every workspace of this server with its plan and scope ceiling, by its number; with `limit` page by page.
   */
  listAllWorkspaces(fields?: ListAllWorkspacesArguments, options?: CallOptions): Promise<WorkspaceList>;

  /**
   * One workspace.
   * Its plan, subscription, scope ceiling and navigation, as list_all_workspaces shows them.
   */
  getAnyWorkspace(fields: GetAnyWorkspaceArguments, options?: CallOptions): Promise<Workspace>;

  /**
   * Change a workspace's name, plan, subscription, scope ceiling or navigation.
   * Only the fields that are sent change. A narrower scope ceiling takes the scopes from existing tokens at
   * once.
   */
  changeAnyWorkspace(fields: ChangeAnyWorkspaceArguments, options?: CallOptions): Promise<Workspace>;

  /**
   * Erase a workspace with everything in it.
   * Nobody can open it from now on; the job `erase` releases its desks and then removes every row and file.
   * There is no way back: export_workspace first.
   */
  eraseWorkspace(fields: EraseWorkspaceArguments, options?: CallOptions): Promise<AcceptedErasure>;

  /**
   * Every row of a workspace, a line each.
   * Lines of `{"table", "row"}`, as everything was at one moment, without passwords, tokens and sealed
   * secrets.
   */
  exportWorkspace(fields: ExportWorkspaceArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Add a feed source.
   * Something that the workspace's feed reads from. It counts among what the feed switch holds.
   */
  addFeedSource(fields: AddFeedSourceArguments, options?: CallOptions): Promise<FeedSource>;

  /**
   * The members of a workspace.
   * Those who are in it now, the longest first. put_workspace_member adds one.
   */
  listWorkspaceMembers(
    fields: ListWorkspaceMembersArguments,
    options?: CallOptions,
  ): Promise<WorkspaceMembers>;

  /**
   * Make a person a member of a workspace, or change their role.
   * Without a role: `member`. A person who was taken out comes back, without their old sessions and tokens.
   */
  putWorkspaceMember(fields: PutWorkspaceMemberArguments, options?: CallOptions): Promise<Membership>;

  /**
   * Take a person out of a workspace; their sessions and tokens there end for good.
   * What they made stays. put_workspace_member brings them back.
   */
  deactivateWorkspaceMember(fields: DeactivateWorkspaceMemberArguments, options?: CallOptions): Promise<void>;

  /**
   * Install a marketplace package.
   * A package that hired employees can need. An agent's tools follow from what is installed and enabled.
   */
  installPackage(fields: InstallPackageArguments, options?: CallOptions): Promise<Package>;

  /**
   * Issue a personal access token; its text is shown this once.
   * For a member of the workspace. Keep `token` from the answer: it cannot be read again.
   */
  issueToken(fields: IssueTokenArguments, options?: CallOptions): Promise<IssuedToken>;

  /**
   * The access tokens of a workspace.
   * Those that are not revoked, the newest first and at most 500, without their text. revoke_any_token ends
   * one.
   */
  listWorkspaceTokens(fields: ListWorkspaceTokensArguments, options?: CallOptions): Promise<WorkspaceTokens>;

  /**
   * Put an employee into the catalog.
   * Workspaces see it in list_employees once it is `published`, and can hire it once it has a `template`.
   */
  createCatalogEmployee(
    fields: CreateCatalogEmployeeArguments,
    options?: CallOptions,
  ): Promise<CatalogEmployee>;

  /**
   * All catalog employees, published or not.
   * By name, with their templates. What workspaces see is list_employees.
   */
  listWholeCatalog(fields?: NoArguments, options?: CallOptions): Promise<WholeCatalog>;

  /**
   * Change a catalog employee.
   * Only the fields that are sent change; null removes a template or repository.
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
   * The background passes, when each last ran, and what waits.
   * Of all nodes together. run_job runs one now.
   */
  listJobs(fields?: NoArguments, options?: CallOptions): Promise<JobList>;

  /**
   * Run one background pass now and wait for it.
   * Answers when the pass is over, with how many things it processed and how many failed.
   */
  runJob(fields: RunJobArguments, options?: CallOptions): Promise<JobRun>;

  /**
   * The server at a glance.
   * Version and uptime of the node that answers; counts, queue and database of the whole server.
   */
  getPlatformOverview(fields?: NoArguments, options?: CallOptions): Promise<PlatformOverview>;

  /**
   * Revoke a token, at once and on every node.
   * For a token that leaked or whose owner is gone. The answer has no body.
   */
  revokeAnyToken(fields: RevokeAnyTokenArguments, options?: CallOptions): Promise<void>;

  /**
   * Make a person, a staff person or a service account.
   * Answers the `user_id`. The person can sign in once they have a password and a workspace
   * (put_workspace_member).
   */
  createUser(fields: CreateUserArguments, options?: CallOptions): Promise<User>;

  /**
   * All people and service accounts.
   * By their number, page by page, with how many workspaces each is in.
   */
  listAllUsers(fields?: ListAllUsersArguments, options?: CallOptions): Promise<UserPage>;

  /**
   * Erase a person.
   * As erase_my_account does, also when a workspace is left without an admin. What they wrote stays, under
   * `Former member`.
   */
  eraseUser(fields: EraseUserArguments, options?: CallOptions): Promise<AcceptedErasure>;

  /**
   * Remove the second factor that a person lost.
   * Make sure first that it is them. Their recovery codes and sessions end, and a letter tells them; their
   * tokens stay.
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
    query: ['q', 'limit', 'cursor'],
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
    body: ['user_id', 'scopes', 'name', 'expires_at'],
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
  listJobs: { method: 'GET', path: '/api/v1/admin/jobs', operator: true },
  runJob: { method: 'POST', path: '/api/v1/admin/jobs/{name}/run', operator: true },
  getPlatformOverview: { method: 'GET', path: '/api/v1/admin/overview', operator: true },
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
    query: ['q', 'limit', 'cursor'],
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
