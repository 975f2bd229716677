// Made from openapi.json by `npm run generate`; changes here are lost.

export interface AcceptedErasure {
  /** The job `erase` does the rest. */
  status: 'accepted';
}

export interface Actor {
  user_id: number;
  name: string;
  agent_id: string | null;
}

export interface BuildLimits {
  max_turns: number | null;
  max_steps: number | null;
  wall_minutes: number | null;
}

export interface BuildProfileSettings {
  version: string;
  model: string | null;
  effort: string | null;
  limits: BuildLimits;
  wall_minutes: number;
}

export interface BuildUsage {
  tokens_in: number | null;
  tokens_out: number | null;
  cost_usd: number | null;
}

export interface CheckSetup {
  /** Command, run by `sh -c`. */
  command: string;
  /** Time limit in minutes. */
  minutes?: number;
}

export interface DeskCoder {
  coder: string;
  ready: boolean;
  reason: string | null;
}

export interface DeskRepository {
  url: string;
  branch: string | null;
}

export interface Environment {
  env_id: string;
  workstation_id: string;
  short_id: string;
  name: string;
  description: string | null;
  runtime: 'claude_code' | 'codex' | 'custom';
  region: string | null;
  vps_provider: string | null;
  status: 'provisioned' | 'active' | 'unreachable' | 'suspended';
  dormant: boolean;
  sidecar_url: string | null;
  workspace_path: string;
  repository: DeskRepository | null;
  pending_sync_count: number;
  building: boolean;
  isolation: 'namespace' | 'user' | 'none' | null;
  coders: DeskCoder[];
  held_until: string | null;
  image_url: string | null;
  sidecar_version: string | null;
  sidecar_code_digest: string | null;
  last_upgrade_at: string | null;
  hostname: string | null;
  mesh_address: string | null;
  last_contact_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface FinishedBuild {
  build_id: string;
  status: 'checking' | 'succeeded' | 'failed' | 'canceled' | 'timed_out';
}

export interface Invitation {
  id: number;
  email: string;
  role: 'admin' | 'member' | 'guest';
  status: 'pending' | 'accepted' | 'revoked' | 'expired';
  expires_at: string;
  created_at: string;
}

export interface LessonAtAnchors {
  id: string;
  path: string;
  type: string;
  pinned: boolean;
  anchors: string[];
}

export interface MergeImpact {
  base: string;
  head: string;
  stale: LessonAtAnchors[];
  moved: {
    id: string;
    path: string;
    type: string;
    pinned: boolean;
    moves: {
      from: string;
      to: string;
    }[];
  }[];
  touched: LessonAtAnchors[];
}

export interface ModelPrice {
  /** The model, or a coder for builds that name none. */
  model: string;
  /** From when on it counts. */
  from: string;
  /** Of a million tokens read. */
  usd_per_mtok_in: number;
  /** Of a million tokens written. */
  usd_per_mtok_out: number;
}

export interface ModelPrices {
  /** All of them. */
  prices: ModelPrice[];
}

export interface ReceivedCommits {
  head_sha: string;
}

export type Scope = 'brand:read' | 'brand:admin' | 'memory:read' | 'memory:write' | 'code:read';

/** Scopes that its tokens may hold. */
export type ScopeCeiling = Scope[];

/** Its name. */
export type WorkspaceName = string;
