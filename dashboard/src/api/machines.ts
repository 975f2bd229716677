import { call, segment } from './client.js';

export const RUNTIMES = ['claude_code', 'codex', 'custom'] as const;

export interface Step {
  key: string;
  title: string;
  state: 'pending' | 'done' | 'failed' | 'blocked';
  reason: string | null;
  hint?: string | null;
  done: boolean;
}

export interface Workstation {
  workstation_id: string;
  name: string;
  runtime: string;
  status: 'provisioning' | 'ready' | 'unreachable' | 'suspended';
  ready: boolean;
  onboarding_url: string;
  onboarding_steps: Step[];
}

export interface Secrets {
  workstation_id: string;
  pat: string;
  install_command: string;
  install_command_sudo: string;
}

export interface Environment {
  short_id: string;
  name: string;
  description: string | null;
  runtime: string;
  region: string | null;
  status: string;
  dormant?: boolean;
  sidecar_url: string | null;
  workspace_path: string;
  pending_sync_count: number;
  building?: boolean;
  image_url: string | null;
  sidecar_version: string | null;
  sidecar_code_digest: string | null;
  last_upgrade_at: string | null;
  hostname?: string | null;
  mesh_address?: string | null;
  last_contact_at?: string | null;
  created_at: string;
}

export interface MachineUpdate {
  id: string;
  status: 'queued' | 'running' | 'done' | 'failed';
  requested_by: { user_id: number; name: string };
  requested_at: string;
  error: string | null;
  from_version?: string | null;
  to_version?: string | null;
}

export interface TimelineItem {
  id: number;
  at: string;
  kind: string;
  from: string | null;
  to: string | null;
  reason: string | null;
  probes: { at: string; outcome: string; detail: string; duration_ms: number }[];
}

export interface ReauthStatus {
  checked: number;
  dormant: number;
  expired: { workstation_id: string; name: string; runtime: string; since: string }[];
}

const desk = (id: string) => `/api/v1/workstations/${segment(id)}`;
const environment = (id: string) => `/api/v1/environments/${segment(id)}`;

export const listWorkstations = (signal?: AbortSignal) =>
  call<{ workstations: Workstation[]; dormant: Workstation[]; total: number }>(
    'GET',
    '/api/v1/workstations',
    { signal },
  );

export const orderWorkstation = (body: {
  name: string;
  runtime: string;
  region?: string;
  description?: string;
}) => call<Workstation & Secrets>('POST', '/api/v1/workstations', { body });

export const readWorkstation = (id: string, signal?: AbortSignal) =>
  call<Workstation>('GET', desk(id), { signal });

export const releaseWorkstation = (id: string) => call<unknown>('DELETE', desk(id));

export const regenerateToken = (id: string) => call<Secrets>('POST', `${desk(id)}/regenerate-pat`);

export const readEnvironment = (id: string, signal?: AbortSignal) =>
  call<Environment>('GET', environment(id), { signal });

export const changeEnvironment = (
  id: string,
  body: { name?: string; description?: string | null; status?: string; sidecar_url?: string },
) => call<Environment>('PATCH', environment(id), { body });

export const setDeskPhoto = (id: string, file: File) =>
  call<{ image_url: string }>('POST', `${environment(id)}/image`, { file });

export const removeDeskPhoto = (id: string) =>
  call<{ image_url: null }>('DELETE', `${environment(id)}/image`);

export const readTimeline = (id: string, signal?: AbortSignal) =>
  call<{ items: TimelineItem[] }>('GET', `${environment(id)}/timeline`, { query: { limit: 50 }, signal });

export const readReauthStatus = (signal?: AbortSignal) =>
  call<ReauthStatus>('GET', '/api/v1/environments/credentials/reauth-status', { signal });

export const listUpdates = (id: string, signal?: AbortSignal) =>
  call<{ updates: MachineUpdate[]; total: number }>('GET', `/api/v1/machines/${segment(id)}/updates`, {
    query: { limit: 10 },
    signal,
  });

export const requestUpdate = (id: string) =>
  call<MachineUpdate>('POST', `/api/v1/machines/${segment(id)}/updates`);

export const requestAllUpdates = () =>
  call<{
    requests: { machine_id: string; machine_name: string; status: string; error: string | null }[];
    queued: number;
    failed: number;
  }>('POST', '/api/v1/machines/updates');
