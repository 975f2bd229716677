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
    | 'waiting'
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
  waiting_for: 'desk' | 'slot' | 'hold' | 'policy' | 'budget' | 'answer' | null;
  held_until: string | null;
  waiting_reason: string | null;
  /** A built-in coder, or one that a desk reported. */
  coder: string;
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
  /** Why it started automatically. Null: a person started it. */
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
  question_hours: number;
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

export interface CoderList {
  coders: {
    name: string;
    /** False for a coder that the owner of a desk added. */
    builtin: boolean;
    desks: {
      workstation_id: string;
      /** The desk's name. */
      name: string;
      /** Null when the desk does not know it. */
      version: string | null;
      ready: boolean;
      /** Why the desk cannot run it now. */
      missing: string | null;
    }[];
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

export interface Question {
  question_id: string;
  question: string;
  choices: string[] | null;
  status: 'open' | 'answered' | 'expired';
  asked_at: string;
  /** When the coder continues without an answer. */
  expires_at: string;
  answer: {
    choice: string | null;
    text: string | null;
    by: Actor | null;
    at: string;
  } | null;
}

export interface QuestionList {
  questions: Question[];
}

export interface ReviewRemark {
  /** A file, as the diff names it. */
  path: string;
  /** A line of it. */
  line?: number | null;
  /** The comment. */
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
  /** The limit for one build in dollars. Null: no limit. */
  build_usd: number | null;
  /** The limit for all builds of a card in dollars. Null: no limit. */
  card_usd: number | null;
  /** The daily limit in dollars. Null: no limit. */
  day_usd: number | null;
  /** The monthly limit in dollars. Null: no limit. */
  month_usd: number | null;
}

export interface PreviewBriefArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
}

export interface CreateBuildArguments {
  /** The card: its ref, such as ENG-12, or its id. */
  task_id: string;
  /**
   * claude, codex, openhands, opencode, pi, or another coder that a desk has (see list_coders). Left out, the
   * profile's coder, else claude.
   */
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
  /** Extra instructions for this attempt. */
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
    | 'waiting'
    | 'checking'
    | 'succeeded'
    | 'failed'
    | 'canceled'
    | 'timed_out'
    | 'lost';
  /** Only builds that this desk claimed. */
  workstation_id?: string;
  /** `open` for queued and running builds, `finished` for the others. */
  state?: 'open' | 'finished';
  /** Only builds of this coder. */
  coder?: string;
  /** Only builds with this review state. `to_review` and `accepted` list the longest wait first. */
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
  /** The events after which the next attempt starts automatically. */
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
  /** The coder that reviews changes. Null: no reviewer. */
  reviewer?: BuildReviewer | null;
  /** Whether commits may hold secrets that the coder was given. */
  allow_secrets?: boolean;
  /** Minutes without progress until people are notified; 0: never. */
  stall_minutes?: number;
  /** Hours until a coder continues without an answer to its question. */
  question_hours?: number;
  /** Limits on the cost of builds. Null: no limit. Omitted fields keep their value. */
  budget?: {
    /** The limit for one build in dollars. Null: no limit. */
    build_usd?: number | null;
    /** The limit for all builds of a card in dollars. Null: no limit. */
    card_usd?: number | null;
    /** The daily limit in dollars. Null: no limit. */
    day_usd?: number | null;
    /** The monthly limit in dollars. Null: no limit. */
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
  /** The build, as list_builds shows its build_id. */
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
  /** The comment, as Markdown. */
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
  /** The comment, as Markdown. */
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
  /** Only changes in this file or folder, such as `src/billing.ts`. */
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
  /** The first line. Default 1. */
  from?: number;
  /** The last line. At most 500 lines are returned. */
  to?: number;
}

export interface HandInBuildArguments {
  /** The build, as list_builds shows its build_id. */
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

export interface ListBuildQuestionsArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
}

export interface AnswerBuildQuestionArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** The question. */
  question_id: string;
  /** One of the choices. */
  choice?: string;
  /** The answer in your own words. */
  text?: string;
}

export interface ReviewBuildArguments {
  /** The build, as list_builds shows its build_id. */
  build_id: string;
  /** `accept` pushes the branch. `rework` starts another attempt from it. */
  decision: 'accept' | 'rework';
  /** Comments for the rework, in addition to unresolved ones. */
  comments?: {
    /** A file, as the diff names it. */
    path?: string;
    /** A line of it. */
    line?: number;
    /** The comment. */
    body: string;
  }[];
}

export interface GetSpendArguments {
  /** How to group the rows. */
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
  /** The daily limit in dollars. Null: no limit. */
  day_usd?: number | null;
  /** The monthly limit in dollars. Null: no limit. */
  month_usd?: number | null;
}

export interface GetProjectBudgetArguments {
  /** The project. */
  project_id: string;
}

export interface SetProjectBudgetArguments {
  /** The project. */
  project_id: string;
  /** The daily limit in dollars. Null: no limit. */
  day_usd?: number | null;
  /** The monthly limit in dollars. Null: no limit. */
  month_usd?: number | null;
}

export interface BuildsMethods {
  /**
   * Preview the brief of a card.
   * The brief a coder would get now: the card, the live lessons near the code that it names, the memories of
   * the assigned agent, and how to finish. Nothing is stored.
   */
  previewBrief(fields: PreviewBriefArguments, options?: CallOptions): Promise<string>;

  /**
   * Start a build of a card.
   * A suitable desk takes it. Follow it with get_build and read_build_log. The card changes with it.
   * (`brand:admin` or `memory:write`)
   */
  createBuild(fields: CreateBuildArguments, options?: CallOptions): Promise<Build>;

  /**
   * List builds, newest first.
   * Filter them by card, status, desk, coder or review.
   */
  listBuilds(fields?: ListBuildsArguments, options?: CallOptions): Promise<BuildList>;

  /**
   * Get the build policy of the workspace.
   * A limit of null means the limit of the plan.
   */
  getBuildPolicy(fields?: NoArguments, options?: CallOptions): Promise<BuildPolicy>;

  /**
   * Change the build policy of the workspace.
   * Omitted fields keep their value, and null means the limit of the plan. While builds are off, no desk gets
   * any. Admins only.
   */
  setBuildPolicy(fields?: SetBuildPolicyArguments, options?: CallOptions): Promise<BuildPolicy>;

  /**
   * Get a build.
   * Its status, the reason it waits, its input and its result.
   */
  getBuild(fields: GetBuildArguments, options?: CallOptions): Promise<Build>;

  /**
   * Read the brief of a build.
   * Byte for byte as the coder got it. `brief_digest` of the build is its SHA-256.
   */
  getBuildBrief(fields: GetBuildBriefArguments, options?: CallOptions): Promise<string>;

  /**
   * Cancel a build.
   * A queued build ends at once. A running build ends when its desk has stopped it. (`brand:admin` or
   * `memory:write`)
   */
  cancelBuild(fields: CancelBuildArguments, options?: CallOptions): Promise<Build>;

  /**
   * Read the log of a check.
   * Works like read_build_log. When a check starts again, its log starts again too.
   */
  readBuildCheckLog(fields: ReadBuildCheckLogArguments, options?: CallOptions): Promise<BuildLogPage>;

  /**
   * Comment on a build.
   * On a line, on a file or on the whole build, or as an answer. (`brand:admin` or `memory:write`)
   */
  addBuildComment(fields: AddBuildCommentArguments, options?: CallOptions): Promise<BuildComment>;

  /**
   * List the comments on a build.
   * Sorted by place. Includes those on earlier attempts, at the line where they belong now.
   */
  listBuildComments(fields: ListBuildCommentsArguments, options?: CallOptions): Promise<BuildCommentList>;

  /**
   * Change or resolve a comment on a build.
   * Only the author can change `body`. Anyone who can review can change `resolved`. (`brand:admin` or
   * `memory:write`)
   */
  updateBuildComment(fields: UpdateBuildCommentArguments, options?: CallOptions): Promise<BuildComment>;

  /**
   * Delete a comment on a build.
   * Only the author can delete a comment, and only while it has no replies. (`brand:admin` or `memory:write`)
   */
  deleteBuildComment(fields: DeleteBuildCommentArguments, options?: CallOptions): Promise<void>;

  /**
   * Send your drafts on a build.
   * Sends all of them at once. A review sends them too. (`brand:admin` or `memory:write`)
   */
  sendBuildComments(fields: SendBuildCommentsArguments, options?: CallOptions): Promise<BuildCommentList>;

  /**
   * Submit the commits of a build on your own machine.
   * Works like put_build_commits. (`brand:admin` or `memory:write`)
   */
  handInCommits(fields: HandInCommitsArguments, options?: CallOptions): Promise<ReceivedCommits>;

  /**
   * Get the diff of a build.
   * Includes the attempts that it continues, unless `from` says otherwise. Over 1 MiB, ask for one `path`.
   */
  getBuildDiff(fields: GetBuildDiffArguments, options?: CallOptions): Promise<string>;

  /**
   * Read lines of a file of a build.
   * Returns at most 500 lines and 256 KiB. Continue with `from`.
   */
  readBuildFile(fields: ReadBuildFileArguments, options?: CallOptions): Promise<BuildFile>;

  /**
   * Report the outcome of a build on your own machine.
   * Send it after the commits, as `succeeded` or `failed`. (`brand:admin` or `memory:write`)
   */
  handInBuild(fields: HandInBuildArguments, options?: CallOptions): Promise<FinishedBuild>;

  /**
   * Get the lessons that a build affects.
   * Lessons that its commits make stale, move or touch. Works like get_lessons_impact, from its base to its
   * head.
   */
  getBuildImpact(fields: GetBuildImpactArguments, options?: CallOptions): Promise<MergeImpact>;

  /**
   * Read the log of a build.
   * Pass `next` as `after` to continue, until `finished`. A long log keeps its first and last part.
   */
  readBuildLog(fields: ReadBuildLogArguments, options?: CallOptions): Promise<BuildLogPage>;

  /**
   * Stream the log of a build.
   * `id` is the number of the piece, `Last-Event-ID` continues after it, and `end` is the last event.
   */
  streamBuildLog(
    fields: StreamBuildLogArguments,
    options?: StreamOptions,
  ): AsyncGenerator<ServerEvent<BuildLogChunk>, void, undefined>;

  /**
   * List the questions of a build.
   * Oldest first, with their answers.
   */
  listBuildQuestions(fields: ListBuildQuestionsArguments, options?: CallOptions): Promise<QuestionList>;

  /**
   * Answer a question of a coder.
   * The first answer counts. The build continues when none of its questions is open. (`brand:admin` or
   * `memory:write`)
   */
  answerBuildQuestion(fields: AnswerBuildQuestionArguments, options?: CallOptions): Promise<Question>;

  /**
   * Accept a build or send it back.
   * One decision for each build that succeeded. `accept` pushes its branch, and retries a failed push.
   * `rework` answers a new build that continues it with all unresolved comments. Sends your drafts.
   * (`brand:admin` or `memory:write`)
   */
  reviewBuild(fields: ReviewBuildArguments, options?: CallOptions): Promise<Build>;

  /**
   * List the coders of your desks.
   * The built-in coders, and further ones that a desk reported in the last 30 days, with their versions.
   */
  listCoders(fields?: NoArguments, options?: CallOptions): Promise<CoderList>;

  /**
   * Get the prices of models.
   * Used when a coder reports tokens but no cost.
   */
  listPrices(fields?: NoArguments, options?: CallOptions): Promise<ModelPrices>;

  /**
   * Get the cost of builds.
   * By day, or the 1,000 that cost most; `total` counts all. A build counts on the day it first cost.
   */
  getSpend(fields?: GetSpendArguments, options?: CallOptions): Promise<SpendReport>;

  /**
   * Lift the hold of a desk.
   * Builds that wait for the desk are handed out at once. Admins only.
   */
  liftDeskHold(fields: LiftDeskHoldArguments, options?: CallOptions): Promise<void>;

  /**
   * Retry the refused logins of a desk.
   * Call this after signing in on the desk. (`brand:admin` or `memory:write`)
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
      'stall_minutes', 'question_hours', 'budget',
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
  listBuildQuestions: { method: 'GET', path: '/api/v1/factory/builds/{build_id}/questions' },
  answerBuildQuestion: {
    method: 'POST',
    path: '/api/v1/factory/builds/{build_id}/questions/{question_id}/answer',
    body: ['choice', 'text'],
  },
  reviewBuild: {
    method: 'POST',
    path: '/api/v1/factory/builds/{build_id}/review',
    body: ['decision', 'comments'],
    needsBody: true,
    creates: true,
  },
  listCoders: { method: 'GET', path: '/api/v1/factory/coders' },
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
