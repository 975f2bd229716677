// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments, ServerEvent, StreamOptions } from '../core/options.js';
import type { Actor, BuildProfileSettings, BuildUsage, FinishedBuild, MergeImpact, ModelPrices, ReceivedCommits } from './shared.generated.js';

export interface Budget {
  day_usd: number | null;
  month_usd: number | null;
  day_spent_usd: number;
  month_spent_usd: number;
}

export interface Build {
  build_id: string;
  task_id: string;
  ref: string;
  project_id: string;
  attempt: number;
  kind: 'build' | 'review';
  status:
    | 'queued'
    | 'claimed'
    | 'running'
    | 'checking'
    | 'succeeded'
    | 'failed'
    | 'canceled'
    | 'timed_out'
    | 'lost';
  checks: BuildCheck[];
  failed_setup?: BuildFailedSetup;
  silent: boolean;
  stalled: boolean;
  waiting_for: 'desk' | 'slot' | 'hold' | 'policy' | 'budget' | null;
  held_until: string | null;
  waiting_reason: string | null;
  coder: 'claude' | 'codex' | 'openhands' | 'opencode' | 'pi';
  profile: string | null;
  settings: BuildProfileSettings | null;
  workstation_id: string | null;
  wanted_workstation_id: string | null;
  /** On the machine of the person who started it. */
  local?: boolean;
  branch: string;
  pushed_branch?: string;
  base_branch: string;
  base_sha: string;
  head_sha: string | null;
  continues: string | null;
  /** Why it started by itself. */
  rework_of?: ('checks' | 'changes_requested' | 'conflict')[];
  note: string | null;
  created_by: Actor | null;
  queued_at: string;
  claimed_at: string | null;
  started_at: string | null;
  heard_at: string | null;
  cancel_requested_at: string | null;
  finished_at: string | null;
  reason: string | null;
  result: string | null;
  confirmed: boolean;
  diff: BuildDiffStat | null;
  usage: BuildUsage | null;
  log_bytes: number;
  brief_digest: string | null;
  gate: BuildGate | null;
  risk: BuildRisk | null;
  reviews: BuildReviewByCoder[];
  review: BuildDecision | null;
  pushed_at: string | null;
  push_error: string | null;
}

export interface BuildCheck {
  name: string;
  status: 'pending' | 'running' | 'passed' | 'failed' | 'timed_out' | 'skipped';
  seconds: number | null;
  exit_code: number | null;
  log_tail: string | null;
}

export interface BuildComment {
  comment_id: string;
  build_id: string;
  attempt: number;
  reply_to: string | null;
  path: string | null;
  line: number | null;
  side: 'old' | 'new';
  /** The line is gone. */
  outdated: boolean;
  context: string | null;
  body: string;
  draft: boolean;
  author: Actor | null;
  created_at: string;
  resolved: {
    by: Actor | null;
    at: string;
  } | null;
}

export interface BuildCommentList {
  comments: BuildComment[];
  total: number;
}

export interface BuildDecision {
  decision: 'accept' | 'rework';
  by: Actor | null;
  at: string;
  comments: number;
}

export interface BuildDiffStat {
  files: number;
  insertions: number;
  deletions: number;
}

export interface BuildFailedSetup {
  exit_code: number | null;
  seconds: number | null;
  log_tail: string | null;
}

export interface BuildFile {
  path: string;
  side: 'new' | 'old';
  from: number;
  /** Lines of the whole file. */
  total: number;
  lines: string[];
}

export interface BuildGate {
  notes: GateNote[];
}

export interface BuildList {
  builds: Build[];
  total: number;
  next_cursor: string | null;
  tasks?: {
    task_id: string;
    board_id: string;
    title: string;
    pr_number: number | null;
    pr_url: string | null;
    pr_state: string | null;
  }[];
}

export interface BuildLogChunk {
  seq: number;
  at: string;
  text: string;
}

export interface BuildLogPage {
  chunks: BuildLogChunk[];
  next: number;
  finished: boolean;
}

export interface BuildPolicy {
  enabled: boolean;
  max_open: number | null;
  max_per_day: number | null;
  max_minutes: number | null;
  rework: BuildRework;
  reviewer: BuildReviewer | null;
  allow_secrets?: boolean;
  stall_minutes: number;
  budget: WorkspaceBudget;
}

export interface BuildReviewByCoder {
  build_id: string;
  verdict: 'pass' | 'concerns' | 'fail' | null;
  comments?: ReviewRemark[];
}

export interface BuildReviewer {
  /** Whose coder reads. */
  profile: string;
  /** `risky` is a risk of 50 and more. */
  on: 'all' | 'risky' | 'none';
  /** Whether it may review its own family. */
  same_family?: boolean;
}

export interface BuildRework {
  on_gate: boolean;
  on_checks: boolean;
  on_changes_requested: boolean;
  on_conflict: boolean;
}

export interface BuildRisk {
  score: number;
  reasons: {
    reason: string;
    points: number;
  }[];
}

export interface GateNote {
  kind:
    | 'checks_changed'
    | 'checks_unreadable'
    | 'setup_failed'
    | 'tests_removed'
    | 'tests_skipped'
    | 'tests_weakened'
    | 'stub'
    | 'no_change'
    | 'test_aware'
    | 'swallowed'
    | 'silenced'
    | 'secret'
    | 'outside'
    | 'not_read'
    | 'review';
  path?: string;
  count?: number;
  text: string;
}

export interface ReviewRemark {
  /** A file, as the diff names it. */
  path: string;
  /** A line of it. */
  line?: number | null;
  /** What is to be said of it. */
  body: string;
  /** How much it matters. */
  severity: 'info' | 'minor' | 'major' | 'critical';
}

export interface SpendReport {
  rows: {
    key: string;
    name: string;
    builds: number;
    without_usage?: number;
    tokens_in: number;
    tokens_out: number;
    cost_usd: number;
  }[];
  total: {
    builds: number;
    without_usage?: number;
    tokens_in: number;
    tokens_out: number;
    cost_usd: number;
  };
}

export interface WorkspaceBudget {
  /** What one build may spend, at most. */
  build_usd: number | null;
  /** What all builds of a card may spend. */
  card_usd: number | null;
  /** What may be spent a day; null: no bound. */
  day_usd: number | null;
  /** What may be spent a month; null: no bound. */
  month_usd: number | null;
}

export interface PreviewBriefArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
}

export interface CreateBuildArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /** Who builds: claude, codex, openhands, opencode, pi. Left out, the profile's coder, else claude. */
  coder?: string;
  /** Such as claude.coding; left out, the card's, else the coder's for the card's task type. */
  profile?: string;
  /** The one desk; left out, any that fits. */
  workstation_id?: string;
  /** The branch to start from; left out, the project's. */
  base_branch?: string;
  /** A finished build of this card to start from. */
  continues?: string;
  /** Starts at once on your own machine; you submit it. */
  local?: boolean;
  /** What the coder should know for this attempt. */
  note?: string;
}

export interface ListBuildsArguments {
  /** Only builds of this card, by ref or id. */
  task_id?: string;
  /** Only builds in this state. */
  status?:
    | 'queued'
    | 'claimed'
    | 'running'
    | 'checking'
    | 'succeeded'
    | 'failed'
    | 'canceled'
    | 'timed_out'
    | 'lost';
  /** Only builds that this desk claimed. */
  workstation_id?: string;
  /** What waits or runs, or what ended. */
  state?: 'open' | 'finished';
  /** Only builds of this coder. */
  coder?: 'claude' | 'codex' | 'openhands' | 'opencode' | 'pi';
  /** Only builds whose review stands so. `to_review` and `accepted` come longest first. */
  review?: 'to_review' | 'rework' | 'accepted' | 'pushed';
  /** The riskiest first. */
  sort?: 'risk';
  /** Adds `tasks`: what their cards are called. */
  with?: 'tasks';
  /** How many on a page. */
  limit?: number;
  /** Where the last page ended: its next_cursor. */
  cursor?: string;
}

export interface SetBuildPolicyArguments {
  /** Whether builds may be started at all. */
  enabled?: boolean;
  /** How many builds may wait or run at once; null is what the plan allows. */
  max_open?: number | null;
  /** How many builds may be started within 24 hours; null is what the plan allows. */
  max_per_day?: number | null;
  /** The longest build; null leaves it to its profile. */
  max_minutes?: number | null;
  /** After what the next attempt begins by itself. */
  rework?: {
    /** After a check that failed. */
    on_gate?: boolean;
    /** After a failed check of the pull request's head. */
    on_checks?: boolean;
    /** After a review there that asks for changes. */
    on_changes_requested?: boolean;
    /** When it cannot be merged. */
    on_conflict?: boolean;
  };
  /** A second coder that only reads; null is none. */
  reviewer?: BuildReviewer | null;
  /** Whether commits may hold secrets that the coder was given. */
  allow_secrets?: boolean;
  /** Minutes without progress until people are notified; 0: never. */
  stall_minutes?: number;
  /** What builds may spend; null: no bound. What is left out stays. */
  budget?: {
    /** What one build may spend, at most. */
    build_usd?: number | null;
    /** What all builds of a card may spend. */
    card_usd?: number | null;
    /** What may be spent a day; null: no bound. */
    day_usd?: number | null;
    /** What may be spent a month; null: no bound. */
    month_usd?: number | null;
  };
}

export interface GetBuildArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
}

export interface GetBuildBriefArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
}

export interface CancelBuildArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
}

export interface ReadBuildCheckLogArguments {
  /** The build. */
  build_id: string;
  /** The name of the check, URL-encoded. */
  name: string;
  /** Only pieces after this one: `next` of the answer before. */
  after?: number;
  /** How many pieces. */
  limit?: number;
}

export interface AddBuildCommentArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** A file, as the diff names it. */
  path?: string;
  /** A line of it. */
  line?: number;
  /** Of the base, or of the new file. */
  side?: 'old' | 'new';
  /** What you want to say; Markdown. */
  body: string;
  /** Seen by you alone until you send it. */
  draft?: boolean;
  /** The comment that it answers. */
  reply_to?: string;
}

export interface ListBuildCommentsArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
}

export interface UpdateBuildCommentArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** The comment. */
  comment_id: string;
  /** What you want to say; Markdown. */
  body?: string;
  /** Of its thread. */
  resolved?: boolean;
}

export interface DeleteBuildCommentArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** The comment. */
  comment_id: string;
}

export interface SendBuildCommentsArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
}

export interface HandInCommitsArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** A git bundle, up to 64 MiB. */
  body: Blob;
}

export interface GetBuildDiffArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** Only what changed in this file or folder, such as `src/billing.ts`. */
  path?: string;
  /** `base`: from where the first attempt started. `previous`: from the attempt before. */
  from?: 'base' | 'previous';
}

export interface ReadBuildFileArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** The file, such as `src/billing.ts`. */
  path: string;
  /** `new`: as the build left it. `old`: as it was in the base. */
  side?: 'new' | 'old';
  /** The first line, from 1. */
  from?: number;
  /** The last line; 500 are answered at most. */
  to?: number;
}

export interface HandInBuildArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** How it ended. */
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
  /** Of a review: its verdict and comments. */
  review?: unknown | null;
  /** When the provider's limit ends. */
  held_until?: string | null;
  /** For the memory of the assigned agent. */
  conversation?: {
    /** Who spoke. */
    role: string;
    /** What was said. */
    content: string;
    /** When. */
    at?: string | null;
  }[] | null;
}

export interface GetBuildImpactArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
}

export interface ReadBuildLogArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** Only pieces after this one: `next` of the answer before. */
  after?: number;
  /** How many pieces. */
  limit?: number;
}

export interface StreamBuildLogArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
}

export interface ReviewBuildArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** Take it, or have another attempt go on from it. */
  decision: 'accept' | 'rework';
  /** Of a rework, beside what is unresolved. */
  comments?: {
    /** A file, as the diff names it. */
    path?: string;
    /** A line of it. */
    line?: number;
    /** What to change. */
    body: string;
  }[];
}

export interface GetSpendArguments {
  /** What a row stands for. */
  by?: 'day' | 'project' | 'agent' | 'card' | 'coder' | 'profile';
  /** The first day, in the time zone of the workspace; left out, the first of the month. */
  from?: string;
  /** The last day; left out, today. */
  to?: string;
}

export interface LiftDeskHoldArguments {
  /** The machine: the workstation_id of its desk. */
  machine_id: string;
}

export interface RetryDeskLoginsArguments {
  /** The machine: the workstation_id of its desk. */
  machine_id: string;
}

export interface GetAgentBudgetArguments {
  /** The agent. */
  agent_id: string;
}

export interface SetAgentBudgetArguments {
  /** The agent. */
  agent_id: string;
  /** What may be spent a day; null: no bound. */
  day_usd?: number | null;
  /** What may be spent a month; null: no bound. */
  month_usd?: number | null;
}

export interface GetProjectBudgetArguments {
  /** The project. */
  project_id: string;
}

export interface SetProjectBudgetArguments {
  /** The project. */
  project_id: string;
  /** What may be spent a day; null: no bound. */
  day_usd?: number | null;
  /** What may be spent a month; null: no bound. */
  month_usd?: number | null;
}

export interface BuildsMethods {
  /**
   * Read what a coder would be given for a card now.
   * The card, the live lessons near the code that it names, what the assigned agent remembers about it, and
   * how to finish. Nothing is stored.
   */
  previewBrief(fields: PreviewBriefArguments, options?: CallOptions): Promise<string>;

  /**
   * Hand a card to a coder on a desk.
   * A desk that fits takes it. Follow it with get_build and read_build_log; the card follows by itself.
   * (`brand:admin` or `memory:write`)
   */
  createBuild(fields: CreateBuildArguments, options?: CallOptions): Promise<Build>;

  /**
   * List builds, newest first.
   * Of the workspace, one card, one state or one desk.
   */
  listBuilds(fields?: ListBuildsArguments, options?: CallOptions): Promise<BuildList>;

  /**
   * Read what the workspace allows of builds.
   * A number that is null is what the plan allows.
   */
  getBuildPolicy(fields?: NoArguments, options?: CallOptions): Promise<BuildPolicy>;

  /**
   * Say what the workspace allows of builds.
   * Omitted fields stay; null is what the plan allows. While builds are off, no desk gets any. Admins only.
   */
  setBuildPolicy(fields?: SetBuildPolicyArguments, options?: CallOptions): Promise<BuildPolicy>;

  /**
   * Read a build.
   * Its status, why it waits, what it was given and what came of it.
   */
  getBuild(fields: GetBuildArguments, options?: CallOptions): Promise<Build>;

  /**
   * Read what the coder of a build was given.
   * Byte for byte; `brief_digest` of the build is its SHA-256.
   */
  getBuildBrief(fields: GetBuildBriefArguments, options?: CallOptions): Promise<string>;

  /**
   * Cancel a build.
   * A queued build ends at once; otherwise its desk stops it. (`brand:admin` or `memory:write`)
   */
  cancelBuild(fields: CancelBuildArguments, options?: CallOptions): Promise<Build>;

  /**
   * Read what a check printed.
   * As read_build_log. A run that never ended begins again, and its log with it.
   */
  readBuildCheckLog(fields: ReadBuildCheckLogArguments, options?: CallOptions): Promise<BuildLogPage>;

  /**
   * Comment on what a build brought.
   * On a line, a file or all of it, or as an answer. (`brand:admin` or `memory:write`)
   */
  addBuildComment(fields: AddBuildCommentArguments, options?: CallOptions): Promise<BuildComment>;

  /**
   * List the comments on a build.
   * By place; those on earlier attempts too, at the line they belong to now.
   */
  listBuildComments(fields: ListBuildCommentsArguments, options?: CallOptions): Promise<BuildCommentList>;

  /**
   * Change a comment on a build, or resolve it.
   * `body` by its writer, `resolved` by anybody. (`brand:admin` or `memory:write`)
   */
  updateBuildComment(fields: UpdateBuildCommentArguments, options?: CallOptions): Promise<BuildComment>;

  /**
   * Delete a comment on a build.
   * The writer's own, as long as nobody answered. (`brand:admin` or `memory:write`)
   */
  deleteBuildComment(fields: DeleteBuildCommentArguments, options?: CallOptions): Promise<void>;

  /**
   * Send your drafts on a build.
   * All at once; a review sends them too. (`brand:admin` or `memory:write`)
   */
  sendBuildComments(fields: SendBuildCommentsArguments, options?: CallOptions): Promise<BuildCommentList>;

  /**
   * Hand in the commits of a build on your own machine.
   * As put_build_commits. (`brand:admin` or `memory:write`)
   */
  handInCommits(fields: HandInCommitsArguments, options?: CallOptions): Promise<ReceivedCommits>;

  /**
   * Read what a build changed.
   * Of its line of attempts, or of this one (`from`). Over 1 MiB, ask for one `path`.
   */
  getBuildDiff(fields: GetBuildDiffArguments, options?: CallOptions): Promise<string>;

  /**
   * Read lines of a file that a build left, or began from.
   * At most 500 lines and 256 KiB an answer: continue with `from`.
   */
  readBuildFile(fields: ReadBuildFileArguments, options?: CallOptions): Promise<BuildFile>;

  /**
   * Say how a build on your own machine ended.
   * After its commits; `succeeded` or `failed`. (`brand:admin` or `memory:write`)
   */
  handInBuild(fields: HandInBuildArguments, options?: CallOptions): Promise<FinishedBuild>;

  /**
   * Tell which lessons the commits of a build would make stale, move or touch.
   * As get_lessons_impact, from its base to its head.
   */
  getBuildImpact(fields: GetBuildImpactArguments, options?: CallOptions): Promise<MergeImpact>;

  /**
   * Read what the coder printed.
   * Pass `next` as `after` to go on, until `finished`. Of a long log beginning and end are kept.
   */
  readBuildLog(fields: ReadBuildLogArguments, options?: CallOptions): Promise<BuildLogPage>;

  /**
   * Follow what the coder prints.
   * `id` numbers the piece, `Last-Event-ID` continues after it, `end` is the last event.
   */
  streamBuildLog(
    fields: StreamBuildLogArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<BuildLogChunk>, void, undefined>;

  /**
   * Accept what a build brought, or send it back.
   * Once for each build that succeeded. `accept` pushes its branch, again where that failed. `rework` answers
   * a new build that continues it with all unresolved comments. Sends your drafts. (`brand:admin` or
   * `memory:write`)
   */
  reviewBuild(fields: ReviewBuildArguments, options?: CallOptions): Promise<Build>;

  /**
   * What models cost.
   * Counts where a coder tells tokens and no cost.
   */
  listPrices(fields?: NoArguments, options?: CallOptions): Promise<ModelPrices>;

  /**
   * What builds have cost.
   * By day, or the 1,000 that cost most; `total` counts all. A build counts on the day it first cost.
   */
  getSpend(fields?: GetSpendArguments, options?: CallOptions): Promise<SpendReport>;

  /**
   * Lift the hold of a desk.
   * What waits for it is handed out at once. Admins only.
   */
  liftDeskHold(fields: LiftDeskHoldArguments, options?: CallOptions): Promise<void>;

  /**
   * Retry the refused logins of a desk.
   * After somebody logged in there. (`brand:admin` or `memory:write`)
   */
  retryDeskLogins(fields: RetryDeskLoginsArguments, options?: CallOptions): Promise<void>;

  /**
   * Read the budget of an agent.
   * With what was spent of it.
   */
  getAgentBudget(fields: GetAgentBudgetArguments, options?: CallOptions): Promise<Budget>;

  /**
   * Bound what an agent may spend.
   * With what was spent of it. Admins only.
   */
  setAgentBudget(fields: SetAgentBudgetArguments, options?: CallOptions): Promise<Budget>;

  /**
   * Read the budget of a project.
   * With what was spent of it.
   */
  getProjectBudget(fields: GetProjectBudgetArguments, options?: CallOptions): Promise<Budget>;

  /**
   * Bound what a project may spend.
   * With what was spent of it. Admins only.
   */
  setProjectBudget(fields: SetProjectBudgetArguments, options?: CallOptions): Promise<Budget>;
}

export interface BuildsLists {
  listBuilds: { fields: ListBuildsArguments; item: Build };
}

export interface BuildsStreams {
  streamBuildLog: { fields: StreamBuildLogArguments; data: BuildLogChunk };
}

export const builds = {
  previewBrief: { method: 'GET', path: '/api/v1/board/tasks/{task_id}/brief', answer: 'text' },
  createBuild: {
    method: 'POST',
    path: '/api/v1/board/tasks/{task_id}/builds',
    body: ['coder', 'profile', 'workstation_id', 'base_branch', 'continues', 'local', 'note'],
    creates: true,
  },
  listBuilds: {
    method: 'GET',
    path: '/api/v1/factory/builds',
    query: [
      'task_id', 'status', 'workstation_id', 'state', 'coder', 'review', 'sort', 'with', 'limit', 'cursor',
    ],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'builds', key: 'build_id' },
  },
  getBuildPolicy: { method: 'GET', path: '/api/v1/factory/builds/policy' },
  setBuildPolicy: {
    method: 'PUT',
    path: '/api/v1/factory/builds/policy',
    body: [
      'enabled', 'max_open', 'max_per_day', 'max_minutes', 'rework', 'reviewer', 'allow_secrets',
      'stall_minutes', 'budget',
    ],
  },
  getBuild: { method: 'GET', path: '/api/v1/factory/builds/{build_id}' },
  getBuildBrief: { method: 'GET', path: '/api/v1/factory/builds/{build_id}/brief', answer: 'text' },
  cancelBuild: { method: 'POST', path: '/api/v1/factory/builds/{build_id}/cancel', creates: true },
  readBuildCheckLog: {
    method: 'GET',
    path: '/api/v1/factory/builds/{build_id}/checks/{name}/log',
    query: ['after', 'limit'],
  },
  addBuildComment: {
    method: 'POST',
    path: '/api/v1/factory/builds/{build_id}/comments',
    body: ['path', 'line', 'side', 'body', 'draft', 'reply_to'],
    needsBody: true,
    creates: true,
  },
  listBuildComments: { method: 'GET', path: '/api/v1/factory/builds/{build_id}/comments' },
  updateBuildComment: {
    method: 'PATCH',
    path: '/api/v1/factory/builds/{build_id}/comments/{comment_id}',
    body: ['body', 'resolved'],
  },
  deleteBuildComment: {
    method: 'DELETE',
    path: '/api/v1/factory/builds/{build_id}/comments/{comment_id}',
    answer: 'nothing',
  },
  sendBuildComments: { method: 'POST', path: '/api/v1/factory/builds/{build_id}/comments:send' },
  handInCommits: {
    method: 'PUT',
    path: '/api/v1/factory/builds/{build_id}/commits',
    raw: 'application/x-git-bundle',
  },
  getBuildDiff: {
    method: 'GET',
    path: '/api/v1/factory/builds/{build_id}/diff',
    query: ['path', 'from'],
    answer: 'text',
  },
  readBuildFile: {
    method: 'GET',
    path: '/api/v1/factory/builds/{build_id}/file',
    query: ['path', 'side', 'from', 'to'],
  },
  handInBuild: {
    method: 'POST',
    path: '/api/v1/factory/builds/{build_id}/finish',
    body: ['outcome', 'reason', 'result', 'usage', 'review', 'held_until', 'conversation'],
    needsBody: true,
  },
  getBuildImpact: { method: 'GET', path: '/api/v1/factory/builds/{build_id}/impact' },
  readBuildLog: { method: 'GET', path: '/api/v1/factory/builds/{build_id}/log', query: ['after', 'limit'] },
  streamBuildLog: { method: 'GET', path: '/api/v1/factory/builds/{build_id}/log/stream', answer: 'events' },
  reviewBuild: {
    method: 'POST',
    path: '/api/v1/factory/builds/{build_id}/review',
    body: ['decision', 'comments'],
    needsBody: true,
    creates: true,
  },
  listPrices: { method: 'GET', path: '/api/v1/factory/prices' },
  getSpend: { method: 'GET', path: '/api/v1/factory/spend', query: ['by', 'from', 'to'] },
  liftDeskHold: { method: 'POST', path: '/api/v1/machines/{machine_id}/hold:lift', answer: 'nothing' },
  retryDeskLogins: { method: 'POST', path: '/api/v1/machines/{machine_id}/logins:retry', answer: 'nothing' },
  getAgentBudget: { method: 'GET', path: '/api/v1/memory/agents/{agent_id}/budget' },
  setAgentBudget: {
    method: 'PUT',
    path: '/api/v1/memory/agents/{agent_id}/budget',
    body: ['day_usd', 'month_usd'],
  },
  getProjectBudget: { method: 'GET', path: '/api/v1/projects/{project_id}/budget' },
  setProjectBudget: {
    method: 'PUT',
    path: '/api/v1/projects/{project_id}/budget',
    body: ['day_usd', 'month_usd'],
  },
} as const satisfies Record<string, Operation>;
