import { useSyncExternalStore } from 'react';
import {
  type ChangeAnyWorkspaceArguments,
  type CreateCatalogEmployeeArguments,
  type CreateUserArguments,
  type CreateWorkspaceArguments,
  Guildhall,
  GuildhallError,
  type IssueTokenArguments,
  type JobList,
  type UpdateCatalogEmployeeArguments,
  type UserPage,
  type WorkspaceMembers,
  type WorkspaceTokens,
} from '../../../client/src/index.js';
import { queryClient } from './resource.js';

export type {
  AuditPage,
  CatalogEmployee,
  IssuedToken,
  PlatformOverview,
  Workspace,
} from '../../../client/src/index.js';
export type PlatformJob = JobList['jobs'][number];
export type PlatformUser = UserPage['users'][number];
export type WorkspaceMember = WorkspaceMembers['members'][number];
export type WorkspaceToken = WorkspaceTokens['tokens'][number];

/**
 * The operator API client. The key is kept only in this module's memory, never in a URL, storage or cookie,
 * so closing or reloading the tab discards it.
 */
let held: Guildhall | undefined;
let reason: string | undefined;
const watchers = new Set<() => void>();

function hold(client: Guildhall | undefined, why?: string): void {
  held = client;
  reason = why;
  if (!client)
    queryClient.removeQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('operator:') });
  for (const notify of watchers) notify();
}

const subscribe = (notify: () => void) => {
  watchers.add(notify);
  return () => watchers.delete(notify);
};

export const useUnlocked = (): boolean => useSyncExternalStore(subscribe, () => held !== undefined);
export const useLockReason = (): string | undefined => useSyncExternalStore(subscribe, () => reason);

export const lock = (why?: string): void => hold(undefined, why);

const CHANGED = 'The key was changed. Enter the current one.';

/** Locks the pages when the operator key has been changed. */
async function fetchAndWatch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, credentials: 'omit' });
  if (response.status === 401 && held) lock(CHANGED);
  return response;
}

/** Keeps the key only if the service accepts it. */
export async function unlock(adminKey: string): Promise<void> {
  const client = new Guildhall({ url: '', adminKey, fetch: fetchAndWatch, retry: { times: 0 } });
  try {
    await client.getPlatformOverview();
  } catch (error) {
    if (error instanceof GuildhallError && error.status === 401)
      throw new GuildhallError({ status: 401, detail: 'The service rejected this key.' });
    throw error;
  }
  hold(client);
}

function door(): Guildhall {
  if (!held) throw new GuildhallError({ status: 401, detail: CHANGED });
  return held;
}

export const readOverview = (signal?: AbortSignal) => door().getPlatformOverview({}, { signal });

/** A degraded service returns 503 with the same body. */
export async function readHealth(signal?: AbortSignal) {
  const response = await fetch('/api/v1/system/health', { credentials: 'omit', ...(signal && { signal }) });
  return (await response.json()) as {
    status: 'healthy' | 'degraded';
    services: Record<string, string>;
  };
}

export const listWorkspaces = (q: string, cursor: string | undefined, signal?: AbortSignal) =>
  door().listAllWorkspaces({ ...(q && { q }), ...(cursor && { cursor }), limit: 50 }, { signal });

export const readWorkspace = (brand_id: number, signal?: AbortSignal) =>
  door().getAnyWorkspace({ brand_id }, { signal });

export const createWorkspace = (fields: CreateWorkspaceArguments) => door().createWorkspace(fields);

export const changeWorkspace = (fields: ChangeAnyWorkspaceArguments) => door().changeAnyWorkspace(fields);

export const eraseWorkspace = (brand_id: number, name: string) => door().eraseWorkspace({ brand_id, name });

export const exportWorkspace = (brand_id: number) => door().exportWorkspace({ brand_id });

export const listWorkspaceMembers = (brand_id: number, signal?: AbortSignal) =>
  door().listWorkspaceMembers({ brand_id }, { signal });

export const putMember = (brand_id: number, user_id: number, role: 'admin' | 'member') =>
  door().putWorkspaceMember({ brand_id, user_id, role });

export const removeMember = (brand_id: number, user_id: number) =>
  door().deactivateWorkspaceMember({ brand_id, user_id });

export const listWorkspaceTokens = (brand_id: number, signal?: AbortSignal) =>
  door().listWorkspaceTokens({ brand_id }, { signal });

export const issueToken = (fields: IssueTokenArguments) => door().issueToken(fields);

export const revokeToken = (token_id: string) => door().revokeAnyToken({ token_id });

export const listPeople = (q: string, cursor: string | undefined, signal?: AbortSignal) =>
  door().listAllUsers({ ...(q && { q }), ...(cursor && { cursor }), limit: 50 }, { signal });

export const createPerson = (fields: CreateUserArguments) => door().createUser(fields);

export const erasePerson = (user_id: number) => door().eraseUser({ user_id });

export const listCatalog = (signal?: AbortSignal) => door().listWholeCatalog({}, { signal });

export const createEmployee = (fields: CreateCatalogEmployeeArguments) =>
  door().createCatalogEmployee(fields);

export const changeEmployee = (fields: UpdateCatalogEmployeeArguments) =>
  door().updateCatalogEmployee(fields);

export const listJobs = (signal?: AbortSignal) => door().listJobs({}, { signal });

export const runJob = (name: string) => door().runJob({ name });

export interface AuditFilter {
  brand_id?: number;
  action?: string;
}

export const listAudit = (filter: AuditFilter, cursor: string | undefined, signal?: AbortSignal) =>
  door().listPlatformAudit({ ...filter, ...(cursor && { cursor }), limit: 50 }, { signal });
