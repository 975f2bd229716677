// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { BuildProfileSettings, CheckSetup, FinishedBuild, ReceivedCommits } from './shared.generated.js';

export interface DeskWelcome {
  env_id: string;
  name: string;
  runtime: 'claude_code' | 'codex' | 'custom';
  workspace_path: string;
  mesh: boolean;
}

export interface DeskWork {
  orders: {
    kind: 'start';
    build_id: string;
    claim: string;
  } | {
    kind: 'cancel';
    build_id: string;
  }[];
}

export interface LogReceived {
  next: number;
}

export interface MeshMembership {
  address: string | null;
  server_public_key: string | null;
  endpoint: string | null;
  allowed_ips: string | null;
  keepalive: number | null;
}

export interface Received {
  received: true;
}

export interface StartedBuild {
  build_id: string;
  coder: string;
  profile: string | null;
  settings: BuildProfileSettings | null;
  wall_minutes: number;
  branch: string;
  base_sha: string;
  brief: string;
  mcp: {
    url: string;
    token: string;
  };
  env: Record<string, string>;
  project_id: string;
  setup: CheckSetup | null;
  /** Not a coder's commit. */
  trusted_base: boolean;
  notes?: string[];
  /** Where commits may hold what the coder was given in confidence. */
  allow_secrets?: boolean;
}

export interface GetBuildBaseArguments {
  /** The build of the order. */
  build_id: string;
}

export interface PutBuildCommitsArguments {
  /** The build of the order. */
  build_id: string;
  /** A git bundle, up to 64 MiB. */
  body: Blob;
}

export interface FinishBuildArguments {
  /** The build, as the order named it. */
  build_id: string;
  /** How it ended, by what the coder itself said last. */
  outcome: 'succeeded' | 'failed' | 'canceled' | 'timed_out';
  /** Why, in a sentence. */
  reason?: string | null;
  /** What the coder said it did. */
  result?: string | null;
  /** What was spent, as far as the coder tells. */
  usage?: {
    /** Tokens read. */
    tokens_in?: number | null;
    /** Tokens written. */
    tokens_out?: number | null;
    /** What it cost. */
    cost_usd?: number | null;
  } | null;
  /** Until when the desk's provider takes no more work. */
  held_until?: string | null;
  /** What was said, for the memory of the agent that the card is assigned to. */
  conversation?: {
    /** Who spoke. */
    role: string;
    /** What was said. */
    content: string;
    /** When. */
    at?: string | null;
  }[] | null;
}

export interface AppendBuildLogArguments {
  /** The build, as the order named it. */
  build_id: string;
  /** The number of the piece: 1 for the first, then one more each. */
  seq: number;
  /** What the coder printed. */
  body: Blob;
}

export interface StartBuildArguments {
  /** The build, as the order named it. */
  build_id: string;
}

export interface ReportDeskHelloArguments {
  /** The desk that the installer was made for. */
  env_id: string;
  /** What the machine calls itself. */
  hostname: string;
  /** What tells this machine from others, also after a new installation. */
  installation_id: string;
}

export interface JoinDeskMeshArguments {
  /** The WireGuard key of the machine. It must be a WireGuard key: 32 bytes in base64. */
  public_key: string;
}

export interface ReportDeskSidecarArguments {
  /** Where the service reaches the sidecar. */
  sidecar_url: string;
  /** The version that runs. */
  version?: string | null;
  /** The digest of the code that runs. */
  code_digest?: string | null;
}

export interface ReportDeskStepArguments {
  /** The step of the installer, such as `packages`. */
  step: string;
  /** How it ended; 0 is well. */
  exit_code?: number | null;
  /** What a person should know about it. */
  message?: string | null;
}

export interface AskForWorkArguments {
  /** Chosen anew for each call. It must be 32 hexadecimal digits. */
  nonce: string;
  /** How many builds it can take on now. */
  slots: number;
  /** The coders that are installed; left out, those of its runtime. */
  coders?: string[];
  /** What it cannot run of its runtime. */
  missing?: {
    /** The coder. */
    coder: string;
    /** Why not. */
    reason: string;
  }[];
  /** The builds that run on the desk: they count as heard of. */
  running?: string[];
  /** How long to wait when there is nothing to do. */
  wait_seconds?: number;
}

export interface DesksMethods {
  /**
   * Fetch what a build starts from.
   * A git bundle that holds base_sha, under the name refs/heads/base.
   */
  getBuildBase(fields: GetBuildBaseArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Hand in the commits of a build.
   * A git bundle of the branch on top of base_sha, and of nothing else. Sent again, the last one counts.
   */
  putBuildCommits(fields: PutBuildCommitsArguments, options?: CallOptions): Promise<ReceivedCommits>;

  /**
   * Say how a build ended.
   * After its log and commits; may be repeated with the same body.
   */
  finishBuild(fields: FinishBuildArguments, options?: CallOptions): Promise<FinishedBuild>;

  /**
   * Add a piece to the log of a build.
   * Pieces come in their order; one that is there already is answered again and not written.
   */
  appendBuildLog(fields: AppendBuildLogArguments, options?: CallOptions): Promise<LogReceived>;

  /**
   * Start a build that was claimed.
   * Answers what to run and on what; only after this call may anything run. May be repeated.
   */
  startBuild(fields: StartBuildArguments, options?: CallOptions): Promise<StartedBuild>;

  /**
   * The desk is alive.
   * The moment shows as `last_contact_at` of the environment; a desk that stays silent is checked and then
   * counted as dormant.
   */
  reportDeskAlive(fields?: NoArguments, options?: CallOptions): Promise<Received>;

  /**
   * The installer runs on a machine.
   * The first report of an installer: it ties the machine to the desk and answers what to install.
   */
  reportDeskHello(fields: ReportDeskHelloArguments, options?: CallOptions): Promise<DeskWelcome>;

  /**
   * Join the mesh.
   * Answers the address and peer of the desk in the private network; all null when the service has no mesh.
   */
  joinDeskMesh(fields: JoinDeskMeshArguments, options?: CallOptions): Promise<MeshMembership>;

  /**
   * The sidecar runs and can be checked.
   * Where the sidecar listens; the service checks it from then on.
   */
  reportDeskSidecar(fields: ReportDeskSidecarArguments, options?: CallOptions): Promise<Received>;

  /**
   * Progress of the installer.
   * Shows in the onboarding checklist of the desk; an `exit_code` other than 0 marks the step as failed.
   */
  reportDeskStep(fields: ReportDeskStepArguments, options?: CallOptions): Promise<Received>;

  /**
   * Ask for work.
   * Answers as soon as there is an order, else with none at the end of the wait. `X-Guildhall-Proof` is the
   * HMAC-SHA256 of nonce and body, with the key as for health.
   */
  askForWork(fields: AskForWorkArguments, options?: CallOptions): Promise<DeskWork>;
}

export const desks = {
  getBuildBase: { method: 'GET', path: '/api/v1/desk/builds/{build_id}/base', answer: 'bytes' },
  putBuildCommits: {
    method: 'PUT',
    path: '/api/v1/desk/builds/{build_id}/commits',
    raw: 'application/x-git-bundle',
  },
  finishBuild: {
    method: 'POST',
    path: '/api/v1/desk/builds/{build_id}/finish',
    body: ['outcome', 'reason', 'result', 'usage', 'held_until', 'conversation'],
    needsBody: true,
  },
  appendBuildLog: {
    method: 'PUT',
    path: '/api/v1/desk/builds/{build_id}/log',
    query: ['seq'],
    raw: 'text/plain',
  },
  startBuild: { method: 'POST', path: '/api/v1/desk/builds/{build_id}/start' },
  reportDeskAlive: { method: 'POST', path: '/api/v1/desk/heartbeat', body: [] },
  reportDeskHello: {
    method: 'POST',
    path: '/api/v1/desk/hello',
    body: ['env_id', 'hostname', 'installation_id'],
    needsBody: true,
  },
  joinDeskMesh: { method: 'POST', path: '/api/v1/desk/mesh', body: ['public_key'], needsBody: true },
  reportDeskSidecar: {
    method: 'POST',
    path: '/api/v1/desk/sidecar',
    body: ['sidecar_url', 'version', 'code_digest'],
    needsBody: true,
  },
  reportDeskStep: {
    method: 'POST',
    path: '/api/v1/desk/step',
    body: ['step', 'exit_code', 'message'],
    needsBody: true,
  },
  askForWork: {
    method: 'POST',
    path: '/api/v1/desk/work',
    body: ['nonce', 'slots', 'coders', 'missing', 'running', 'wait_seconds'],
    needsBody: true,
  },
} as const satisfies Record<string, Operation>;
