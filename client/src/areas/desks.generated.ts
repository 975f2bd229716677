// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { BuildProfileSettings, BuildUsage, CheckSetup, FinishedBuild, ReceivedCommits } from './shared.generated.js';

export interface CheckFinished {
  build_id: string;
  status:
    | 'queued'
    | 'claimed'
    | 'running'
    | 'waiting'
    | 'checking'
    | 'succeeded'
    | 'failed'
    | 'canceled'
    | 'timed_out'
    | 'lost';
}

export interface CheckReport {
  /** The status. */
  status: 'running' | 'passed' | 'failed' | 'timed_out' | 'skipped';
  /** Its exit code. */
  exit_code?: number | null;
  /** How long it took. */
  seconds?: number | null;
}

export interface CheckRun {
  build_id: string;
  head_sha: string;
  setup: CheckSetup | null;
  checks: {
    name: string;
    command: string;
    minutes: number;
  }[];
  env: Record<string, string>;
  setup_env: Record<string, string>;
  /** Variables whose values must be masked everywhere. */
  secret_names: string[];
}

export interface DeskWelcome {
  env_id: string;
  name: string;
  runtime: 'claude_code' | 'codex' | 'custom';
  workspace_path: string;
  mesh: boolean;
}

export interface DeskWork {
  orders: {
    kind: 'start' | 'check';
    build_id: string;
    claim: string;
  } | {
    kind: 'cancel';
    build_id: string;
  } | {
    kind: 'stop';
    build_id: string;
    reason: string;
  } | {
    kind: 'answer';
    build_id: string;
    question_id: string;
    choice?: string;
    text?: string;
    expired?: true;
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

export interface QuestionAsked {
  question_id: string;
}

export interface Received {
  received: true;
}

export interface StartedBuild {
  /** Variables whose values must be masked everywhere. */
  secret_names?: string[];
  /** Environment variables of the setup. */
  setup_env?: Record<string, string>;
  build_id: string;
  coder: string;
  profile: string | null;
  settings: BuildProfileSettings | null;
  wall_minutes: number;
  kind?: 'review';
  branch: string;
  base_sha: string;
  brief: string;
  mcp: {
    url: string;
    token: string;
  };
  env: Record<string, string>;
  committer: {
    name: string;
    email: string;
  };
  project_id: string;
  setup: CheckSetup | null;
  trusted_base: boolean;
  notes?: string[];
  allow_secrets?: boolean;
}

export interface GetBuildBaseArguments {
  /** The build, as the order named it. */
  build_id: string;
}

export interface FinishBuildChecksArguments {
  /** The build, as the order named it. */
  build_id: string;
  /** Every check of the run. */
  checks: {
    /** Its name. */
    name: string;
    /** How it ended. */
    status: 'passed' | 'failed' | 'timed_out' | 'skipped';
    /** Its exit code. */
    exit_code?: number | null;
    /** How long it took. */
    seconds?: number | null;
  }[];
  /** How the setup ended. */
  setup?: {
    /** Its exit code. */
    exit_code?: number | null;
    /** How long it took. */
    seconds?: number | null;
    /** How its log ends. */
    log_tail?: string | null;
  } | null;
}

export interface StartBuildChecksArguments {
  /** The build, as the order named it. */
  build_id: string;
}

export interface ReportBuildCheckArguments {
  /** The build, as the order named it. */
  build_id: string;
  /** The name of the check, URL-encoded. */
  name: string;
  /** The status. */
  status: 'running' | 'passed' | 'failed' | 'timed_out' | 'skipped';
  /** Its exit code. */
  exit_code?: number | null;
  /** How long it took. */
  seconds?: number | null;
}

export interface AppendBuildCheckLogArguments {
  /** The build, as the order named it. */
  build_id: string;
  /** The name of the check, URL-encoded. */
  name: string;
  /** The number of the piece: 1 for the first, then one more each. */
  seq: number;
  /** The check's output. */
  body: Blob;
}

export interface PutBuildCommitsArguments {
  /** The build, as the order named it. */
  build_id: string;
  /** A git bundle, up to 64 MiB. */
  body: Blob;
}

export interface FinishBuildArguments {
  /** The build, as the order named it. */
  build_id: string;
  /** How it ended. */
  outcome: 'succeeded' | 'failed' | 'canceled' | 'timed_out';
  /** Why, in a sentence. */
  reason?: string | null;
  /** The coder's summary. */
  result?: string | null;
  /** The usage that the coder reported. */
  usage?: {
    /** Tokens read. */
    tokens_in?: number | null;
    /** Tokens written. */
    tokens_out?: number | null;
    /** The cost in dollars. */
    cost_usd?: number | null;
  } | null;
  /** Of a review: its verdict and comments. */
  review?: unknown | null;
  /** When the provider's limit ends. */
  held_until?: string | null;
  /** For the memory of the assigned agent. */
  conversation?: {
    /** The speaker. */
    role: string;
    /** The text. */
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
  /** The coder's output. */
  body: Blob;
}

export interface AskBuildQuestionArguments {
  /** The build, as the order named it. */
  build_id: string;
  /** The same key within a build is the same question. */
  key: string;
  /** The question. Markdown. */
  question: string;
  /** The answers to choose from. Default: any text. */
  choices?: string[];
  /** How long to wait for an answer. Default and maximum: the policy's `question_hours`. */
  minutes?: number;
}

export interface StartBuildArguments {
  /** The build, as the order named it. */
  build_id: string;
}

export interface ReportBuildUsageArguments {
  /** The build, as the order named it. */
  build_id: string;
  /** Tokens read so far. Null: unknown. */
  tokens_in: number | null;
  /** Tokens written so far. Null: unknown. */
  tokens_out: number | null;
  /** The cost so far in dollars. Null: derived from the model's prices. */
  cost_usd?: number | null;
}

export interface ReportDeskHelloArguments {
  /** ID of the desk. */
  env_id: string;
  /** Host name of the machine. */
  hostname: string;
  /** Identifies the machine, also after a reinstallation. */
  installation_id: string;
}

export interface JoinDeskMeshArguments {
  /** Public WireGuard key of the machine. */
  public_key: string;
}

export interface ReportDeskSidecarArguments {
  /** URL of the sidecar. */
  sidecar_url: string;
  /** Version of the sidecar. */
  version?: string | null;
  /** SHA-256 of the sidecar code. */
  code_digest?: string | null;
}

export interface ReportDeskStepArguments {
  /** Name of the step, such as `packages`. */
  step: string;
  /** Exit code of the step; 0 means success, null that it runs. */
  exit_code?: number | null;
  /** Text for people, such as the error. */
  message?: string | null;
}

export interface AskForWorkArguments {
  /** A new value for each call. */
  nonce: string;
  /** How many builds it can take on now. */
  slots: number;
  /** The coders it can run. Default: the built-in coders of its runtime. */
  coders?: (string | {
    /** The coder. */
    name: string;
    /** Its version; null when unknown. */
    version: string | null;
  })[];
  /** Of these, those without their own program. */
  wrapped?: string[];
  /** The coders that it cannot run. */
  missing?: {
    /** The coder. */
    coder: string;
    /** Why not. */
    reason: string;
  }[];
  /** The builds that run on the desk. */
  running?: (string | {
    /** The build. */
    build_id: string;
    /** When it last printed something or used CPU time. */
    progress_at?: string;
    /** How much of its plan is done. */
    progress_percent?: number;
  })[];
  /** The questions whose answers it has. */
  answered?: string[];
  /** How long to wait when there is nothing to do. */
  wait_seconds?: number;
}

export interface DesksMethods {
  /**
   * Fetch the commit that a build starts from.
   * A git bundle with base_sha as refs/heads/base. With the claim of a check, it holds head_sha instead.
   */
  getBuildBase(fields: GetBuildBaseArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Report the results of the checks of a build.
   * Send it after the logs. May be repeated with the same body.
   */
  finishBuildChecks(fields: FinishBuildChecksArguments, options?: CallOptions): Promise<CheckFinished>;

  /**
   * Start the claimed checks of a build.
   * Nothing may run before this call. May be repeated.
   */
  startBuildChecks(fields: StartBuildChecksArguments, options?: CallOptions): Promise<CheckRun>;

  /**
   * Report the status of a check.
   * Shown while the checks run. Only the finish decides. May be repeated.
   */
  reportBuildCheck(fields: ReportBuildCheckArguments, options?: CallOptions): Promise<CheckReport>;

  /**
   * Add a piece to the log of a check.
   * Works like append_build_log.
   */
  appendBuildCheckLog(fields: AppendBuildCheckLogArguments, options?: CallOptions): Promise<LogReceived>;

  /**
   * Submit the commits of a build.
   * A git bundle of the branch alone, on top of base_sha. The last one counts.
   */
  putBuildCommits(fields: PutBuildCommitsArguments, options?: CallOptions): Promise<ReceivedCommits>;

  /**
   * Report the outcome of a build.
   * Send it after the log and the commits. May be repeated with the same body.
   */
  finishBuild(fields: FinishBuildArguments, options?: CallOptions): Promise<FinishedBuild>;

  /**
   * Add a piece to the log of a build.
   * Pieces come in order. Repeating a piece changes nothing.
   */
  appendBuildLog(fields: AppendBuildLogArguments, options?: CallOptions): Promise<LogReceived>;

  /**
   * Ask people a question of the coder.
   * The build waits for the answer, which comes as an order of `POST /work`. Repeating a key answers the same
   * question.
   */
  askBuildQuestion(fields: AskBuildQuestionArguments, options?: CallOptions): Promise<QuestionAsked>;

  /**
   * Start a claimed build.
   * Nothing may run before this call. May be repeated.
   */
  startBuild(fields: StartBuildArguments, options?: CallOptions): Promise<StartedBuild>;

  /**
   * Report the usage of a running build.
   * Takes totals, which never fall. May be repeated.
   */
  reportBuildUsage(fields: ReportBuildUsageArguments, options?: CallOptions): Promise<BuildUsage>;

  /**
   * Report a heartbeat.
   * Updates `last_contact_at`. A desk without contact for two weeks is dormant.
   */
  reportDeskAlive(fields?: NoArguments, options?: CallOptions): Promise<Received>;

  /**
   * Report the start of the installer.
   * The first report. Binds the machine to the desk and returns what to install.
   */
  reportDeskHello(fields: ReportDeskHelloArguments, options?: CallOptions): Promise<DeskWelcome>;

  /**
   * Join the mesh.
   * Returns the desk's mesh address and the hub. All fields are null without a mesh.
   */
  joinDeskMesh(fields: JoinDeskMeshArguments, options?: CallOptions): Promise<MeshMembership>;

  /**
   * Register the sidecar of a desk.
   * The service checks the sidecar at this address from now on.
   */
  reportDeskSidecar(fields: ReportDeskSidecarArguments, options?: CallOptions): Promise<Received>;

  /**
   * Report progress of the installer.
   * Shown in the onboarding. An `exit_code` other than 0 is a failure.
   */
  reportDeskStep(fields: ReportDeskStepArguments, options?: CallOptions): Promise<Received>;

  /**
   * Ask for work.
   * Answers as soon as there is an order, or with none after `wait_seconds`. `X-Guildhall-Proof` is the
   * HMAC-SHA256 of nonce and body, with the key of the health check.
   */
  askForWork(fields: AskForWorkArguments, options?: CallOptions): Promise<DeskWork>;
}

export const desks = {
  getBuildBase: { method: 'GET', path: '/api/v1/desk/builds/{build_id}/base', answer: 'bytes' },
  finishBuildChecks: {
    method: 'POST',
    path: '/api/v1/desk/builds/{build_id}/checks/finish',
    body: ['checks', 'setup'],
    needsBody: true,
  },
  startBuildChecks: { method: 'POST', path: '/api/v1/desk/builds/{build_id}/checks/start' },
  reportBuildCheck: {
    method: 'POST',
    path: '/api/v1/desk/builds/{build_id}/checks/{name}',
    body: ['status', 'exit_code', 'seconds'],
    needsBody: true,
  },
  appendBuildCheckLog: {
    method: 'PUT',
    path: '/api/v1/desk/builds/{build_id}/checks/{name}/log',
    query: ['seq'],
    raw: 'text/plain',
  },
  putBuildCommits: {
    method: 'PUT',
    path: '/api/v1/desk/builds/{build_id}/commits',
    raw: 'application/x-git-bundle',
  },
  finishBuild: {
    method: 'POST',
    path: '/api/v1/desk/builds/{build_id}/finish',
    body: ['outcome', 'reason', 'result', 'usage', 'review', 'held_until', 'conversation'],
    needsBody: true,
  },
  appendBuildLog: {
    method: 'PUT',
    path: '/api/v1/desk/builds/{build_id}/log',
    query: ['seq'],
    raw: 'text/plain',
  },
  askBuildQuestion: {
    method: 'POST',
    path: '/api/v1/desk/builds/{build_id}/questions',
    body: ['key', 'question', 'choices', 'minutes'],
    needsBody: true,
  },
  startBuild: { method: 'POST', path: '/api/v1/desk/builds/{build_id}/start' },
  reportBuildUsage: {
    method: 'POST',
    path: '/api/v1/desk/builds/{build_id}/usage',
    body: ['tokens_in', 'tokens_out', 'cost_usd'],
    needsBody: true,
  },
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
    body: ['nonce', 'slots', 'coders', 'wrapped', 'missing', 'running', 'answered', 'wait_seconds'],
    needsBody: true,
  },
} as const satisfies Record<string, Operation>;
