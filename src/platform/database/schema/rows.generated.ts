// Made by `npm run generate` from src/platform/database/migrations; changes here are lost.
import type { ColumnType } from 'kysely';

/** Filled by the database when it is left out. */
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;

/** Filled by the database alone. */
export type Computed<T> = T extends ColumnType<infer S, infer _I, infer _U> ? ColumnType<S, never, never> : ColumnType<T, never, never>;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

/** Read as the parsed value; written as text by `JSON.stringify`, since the driver takes an array for an SQL array. */
export type Json = ColumnType<unknown, string, string>;

export interface AgentRepositoriesTable {
  brand_id: number;
  program: string;
  repository_digest: string;
  repository: string;
  agent_id: string;
  created_at: Timestamp;
}

export interface AgentsTable {
  agent_id: string;
  name: string;
  brand_id: number | null;
  created_at: Timestamp;
  directory_removed_at: Timestamp | null;
  plain_name: Computed<string | null>;
}

export interface AttachmentTalliesTable {
  brand_id: number;
  bytes: number;
}

export interface AuditLogTable {
  audit_id: Computed<number>;
  at: Timestamp;
  brand_id: number | null;
  actor_kind: string;
  actor_user_id: number | null;
  actor_token_id: string | null;
  action: string;
  subject: string;
  details: Generated<Json>;
  request_id: string | null;
  address: string | null;
  credential: string | null;
  actor_agent_id: string | null;
}

export interface BoardActivityTable {
  board_id: string;
  sequence: number;
  id: string;
  action: string;
  created_at: Timestamp;
  task_id: string | null;
  ref: string | null;
  card_version: number | null;
  actor_user_id: number | null;
  changes: Json;
  actor_agent_id: string | null;
}

export interface BoardColumnsTable {
  column_id: string;
  board_id: string;
  position: number;
  name: string;
  name_key: string;
  status: string;
}

export interface BoardRetiredKeysTable {
  brand_id: number;
  key: string;
  board_id: string | null;
  entry_id: string | null;
  deleted_at: Timestamp | null;
  deleted_by: number | null;
  deleted_by_agent: string | null;
}

export interface BoardsTable {
  board_id: string;
  brand_id: number;
  name: string;
  key: string;
  board_type: string;
  last_number: Generated<number>;
  last_sequence: Generated<number>;
  last_activity_at: Timestamp;
  layout: Generated<number>;
  created_by: number | null;
  created_at: Timestamp;
  plain_name: Computed<string | null>;
}

export interface BrandsTable {
  brand_id: Computed<number>;
  name: string;
  plan: string;
  subscription_active: Generated<boolean>;
  scope_ceiling: string[];
  new_navigation: Generated<boolean>;
  created_at: Timestamp;
  require_mfa: Generated<boolean>;
  erasing_at: Timestamp | null;
  timezone: Generated<string>;
}

export interface BudgetHoldsTable {
  build_id: string;
  brand_id: number;
  scope: string;
  subject: string;
  period: string;
  micros: number;
}

export interface BudgetsTable {
  brand_id: number;
  scope: string;
  subject: string;
  build_micros: number | null;
  card_micros: number | null;
  day_micros: number | null;
  month_micros: number | null;
  updated_at: Timestamp;
}

export interface BuildBriefsTable {
  build_id: string;
  body: string;
}

export interface BuildBundlesTable {
  build_id: string;
  part: number;
  bytes: Buffer;
}

export interface BuildCheckLogChunksTable {
  build_id: string;
  position: number;
  seq: number;
  at: Timestamp;
  bytes: number;
  body: string;
}

export interface BuildCheckRunsTable {
  build_id: string;
  brand_id: number;
  head_sha: string;
  setup: Json | null;
  required: boolean;
  minutes: number;
  began_at: Timestamp;
  runs: Generated<number>;
  claim_hash: string | null;
  desk_id: string | null;
  claimed_at: Timestamp | null;
  started_at: Timestamp | null;
  heard_at: Timestamp | null;
  finish_digest: string | null;
  setup_result: Json | null;
  ended_at: Timestamp | null;
}

export interface BuildChecksTable {
  build_id: string;
  position: number;
  name: string;
  command: string;
  minutes: number;
  status: string;
  exit_code: number | null;
  seconds: number | null;
  log_seq: Generated<number>;
  log_bytes: Generated<number>;
  log_head_seq: Generated<number>;
  log_head_bytes: Generated<number>;
  log_gap_until: Generated<number>;
  log_gap_bytes: Generated<number>;
}

export interface BuildDesksTable {
  desk_id: string;
  brand_id: number;
  asked_at: Timestamp | null;
  free_slots: Generated<number>;
  coders: Generated<string[]>;
  held_until: Timestamp | null;
  missing: Generated<Json>;
  wrapped: Generated<string[]>;
  refusals: Generated<Json>;
}

export interface BuildLogChunksTable {
  build_id: string;
  seq: number;
  at: Timestamp;
  bytes: number;
  body: string;
}

export interface BuildMoneyTable {
  build_id: string;
  brand_id: number;
  agent_id: string | null;
  ceiling_micros: number | null;
  reserved_micros: Generated<number>;
  priced: Generated<boolean>;
  unmetered: Generated<boolean>;
}

export interface BuildPoliciesTable {
  brand_id: number;
  enabled: boolean;
  max_open: number | null;
  max_per_day: number | null;
  max_minutes: number | null;
  updated_at: Timestamp;
  allow_secrets: Generated<boolean>;
  rework: Generated<Json>;
  stall_minutes: Generated<number>;
  reviewer: Json | null;
}

export interface BuildTalliesTable {
  brand_id: number;
  workstation_id: string;
  coder: string;
  outcome: string;
  builds: number;
  review: Generated<string>;
}

export interface BuildTokensTable {
  build_id: string;
  token_hash: string;
  sealed: string;
  agent_id: string | null;
  created_at: Timestamp;
}

export interface BuildsTable {
  build_id: string;
  brand_id: number;
  task_id: string;
  ref: string;
  project_id: string;
  attempt: number;
  coder: string;
  profile: string | null;
  settings: Json | null;
  wall_minutes: number | null;
  wanted_workstation_id: string | null;
  branch: string;
  base_branch: string;
  base_sha: string;
  continues: string | null;
  note: string | null;
  review_comments: Generated<Json>;
  created_by: number | null;
  queued_at: Timestamp;
  claim_hash: string | null;
  workstation_id: string | null;
  claimed_at: Timestamp | null;
  started_at: Timestamp | null;
  heard_at: Timestamp | null;
  cancel_requested_at: Timestamp | null;
  brief_digest: string | null;
  finished_at: Timestamp | null;
  outcome: string | null;
  lost_at: Timestamp | null;
  finish_digest: string | null;
  reason: string | null;
  result: string | null;
  confirmed: Generated<boolean>;
  tokens_in: number | null;
  tokens_out: number | null;
  cost_usd: number | null;
  head_sha: string | null;
  diff: Json | null;
  accepted_at: Timestamp | null;
  accepted_by: number | null;
  pushed_at: Timestamp | null;
  push_error: string | null;
  log_seq: Generated<number>;
  log_bytes: Generated<number>;
  log_head_seq: Generated<number>;
  log_head_bytes: Generated<number>;
  log_gap_until: Generated<number>;
  log_gap_bytes: Generated<number>;
  push_attempts: Generated<number>;
  push_next_at: Timestamp | null;
  reworked_at: Timestamp | null;
  reworked_by: number | null;
  guest_words: Generated<boolean>;
  origin_sha: string | null;
  created_by_agent: string | null;
  reviewed_by_agent: string | null;
  local: Generated<boolean>;
  checking_at: Timestamp | null;
  stop_requested_at: Timestamp | null;
  stop_reason: string | null;
  progress_at: Timestamp | null;
  stall_minutes: number | null;
  stall_told_at: Timestamp | null;
  gate: Json | null;
  risk: Json | null;
  risk_score: number | null;
  examine_at: Timestamp | null;
  examine_tries: Generated<number>;
  kind: Generated<string>;
  reviewed_build_id: string | null;
  verdict: Json | null;
  review_wanted_at: Timestamp | null;
  came_back: Json | null;
  rework_of: string[] | null;
  superseded: Generated<boolean>;
  unpaid_at: Timestamp | null;
  pushed_branch: string | null;
}

export interface CardAttachmentsTable {
  attachment_id: string;
  brand_id: number;
  card_id: string;
  comment_id: string | null;
  name: string;
  content_type: string;
  bytes: number;
  has_thumbnail: boolean;
  author_user_id: number | null;
  author_agent_id: string | null;
  by_guest: boolean;
  created_at: Timestamp;
}

export interface CardBlockersTable {
  card_id: string;
  blocker_id: string;
}

export interface CardBodiesTable {
  card_id: string;
  instructions: string | null;
  result: string | null;
  export_bytes: number;
}

export interface CardCommentsTable {
  comment_id: string;
  card_id: string;
  author_user_id: number | null;
  body: string;
  created_at: Timestamp;
  by_guest: Generated<boolean>;
  author_agent_id: string | null;
}

export interface CardImportRowsTable {
  import_id: string;
  seq: number;
  brand_id: number;
  origin: string | null;
  record: Json | null;
  status: string;
  reason: string | null;
  card_id: string | null;
  parent_seq: number | null;
  depth: Generated<number>;
  blocker_seqs: number[] | null;
  missing_links: string[] | null;
}

export interface CardImportsTable {
  import_id: string;
  brand_id: number;
  board_id: string;
  source: string;
  name: string;
  status: string;
  mapping: Generated<Json>;
  counts: Generated<Json>;
  found: Generated<Json>;
  error: string | null;
  project_id: string | null;
  page: string | null;
  look_at: Timestamp | null;
  created_by: number | null;
  created_by_agent: string | null;
  created_at: Timestamp;
  finished_at: Timestamp | null;
  users: Generated<Json>;
  pages_read: Generated<number>;
  rows_read: Generated<number>;
}

export interface CardTalliesTable {
  board_id: string;
  column_id: string;
  status: string;
  has_pr: boolean;
  cards: number;
  archived: Generated<boolean>;
}

export interface CardWordsTable {
  text_id: string;
  card_id: string;
  board_id: string;
  brand_id: number;
  changed_at: Timestamp;
  words: string;
}

export interface CardsTable {
  card_id: string;
  board_id: string;
  brand_id: number;
  number: number;
  column_id: string;
  project_id: string | null;
  title: string;
  task_type: string;
  status: string;
  position: number;
  priority: string;
  labels: string[];
  assignee_user_id: number | null;
  assignee_agent_id: string | null;
  reporter_user_id: number | null;
  watcher_user_ids: number[];
  parent_id: string | null;
  description_excerpt: string | null;
  due_at: Timestamp | null;
  start_at: Timestamp | null;
  estimate_points: number | null;
  estimate_minutes: number | null;
  time_spent_minutes: number;
  agent_context: Json;
  environment_id: string | null;
  runtime: string | null;
  hire_id: string | null;
  attempt: number;
  max_attempts: number;
  queued_at: Timestamp | null;
  claimed_at: Timestamp | null;
  started_at: Timestamp | null;
  completed_at: Timestamp | null;
  last_heartbeat_at: Timestamp | null;
  progress_percent: number | null;
  branch: string | null;
  base_branch: string | null;
  commit_sha: string | null;
  pr_number: number | null;
  pr_url: string | null;
  pr_state: string | null;
  checks_state: string | null;
  review_state: string | null;
  merged_at: Timestamp | null;
  deploy_url: string | null;
  cost_usd: number;
  tokens_in: number;
  tokens_out: number;
  error_code: string | null;
  error_message: string | null;
  comment_count: number;
  attachment_count: number;
  checklist_done: number;
  checklist_total: number;
  source: string | null;
  external_url: string | null;
  archived: boolean;
  created_at: Timestamp;
  updated_at: Timestamp;
  version: number;
  guest_written: Generated<string[] | null>;
  status_of_build: string | null;
}

export interface CatalogProfilesTable {
  profile_id: string;
  name: string;
  description: Generated<string>;
  published: Generated<boolean>;
  builder: Generated<boolean>;
  template: Json | null;
  repository: Json | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  price_usd: number | null;
}

export interface CodeDeployKeysTable {
  brand_id: number;
  public_key: string;
  private_key: string;
  created_at: Timestamp;
}

export interface CodeEdgesTable {
  project_id: string;
  file_no: number;
  packed: Buffer;
}

export interface CodeFactsTable {
  project_id: string;
  fact_key: string;
  extractor: number;
  facts: string;
}

export interface CodeHostKeysTable {
  brand_id: number;
  host: string;
  host_key: string;
  pinned_at: Timestamp;
}

export interface CodeIndexesTable {
  index_id: string;
  project_id: string;
  status: string;
  commit_id: string | null;
  files: Generated<number>;
  nodes: Generated<number>;
  edges: Generated<number>;
  lessons: Generated<number>;
  warnings: Generated<Json>;
  progress: Json | null;
  error: string | null;
  queued_at: Timestamp;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
  truncated: Generated<boolean>;
}

export interface CodeNodesTable {
  project_id: string;
  node_no: number;
  node_id: string;
  kind: string;
  path: string;
  symbol: string | null;
  parent_no: number | null;
  live: boolean;
  blob_id: string | null;
  symbol_kind: string | null;
  body_hash: string | null;
  masked_hash: string | null;
  removed_commit: string | null;
  removed_step: number | null;
}

export interface CodeProjectCredentialsTable {
  project_id: string;
  kind: string;
  public_key: string | null;
  private_key: string | null;
  former_public_key: string | null;
  former_private_key: string | null;
  username: string | null;
  sealed_token: string | null;
  host: string | null;
  created_at: Timestamp;
  used_at: Timestamp | null;
}

export interface CoderProfileChangesTable {
  brand_id: number;
  id: number;
  profile_key: string;
  field: string;
  old_value: string | null;
  new_value: string | null;
  actor_user_id: number;
  actor_role: string;
  created_at: Timestamp;
}

export interface CoderProfileOverridesTable {
  brand_id: number;
  profile_key: string;
  field: string;
  value: string;
}

export interface DeskEventsTable {
  event_id: Computed<number>;
  desk_id: string;
  at: Timestamp;
  kind: string;
  from_status: string | null;
  to_status: string | null;
  reason: string | null;
  probes: Generated<Json>;
}

export interface DeskPollNodesTable {
  node_id: string;
  seen_at: Timestamp;
}

export interface DesksTable {
  desk_id: string;
  brand_id: number;
  short_id: string;
  name: string;
  runtime: string;
  region: string | null;
  description: string | null;
  vps_provider: string | null;
  workspace_path: string;
  repository: Json | null;
  image_key: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  token_hash: string | null;
  status: string;
  hello_at: Timestamp | null;
  hostname: string | null;
  installation_id: string | null;
  installer_step: string | null;
  installer_exit_code: number | null;
  installer_message: string | null;
  mesh_registered_at: Timestamp | null;
  mesh_public_key: string | null;
  mesh_address: string | null;
  sidecar_url: string | null;
  sidecar_registered_at: Timestamp | null;
  check_epoch: Generated<number>;
  checked_at: Timestamp | null;
  misses: Generated<number>;
  missed_probes: Generated<Json>;
  misrouted: Generated<boolean>;
  first_answered_at: Timestamp | null;
  resumed_at: Timestamp | null;
  last_contact_at: Timestamp | null;
  sidecar_version: string | null;
  sidecar_code_digest: string | null;
  last_upgrade_at: Timestamp | null;
  building: Generated<boolean>;
  pending_sync_count: Generated<number>;
  credentials: Generated<Json>;
  poll_slot: number;
  update_sequence: Generated<number>;
  isolation: string | null;
  token_lookup: string | null;
  key_sealed: string | null;
  only_project_id: string | null;
  ordered_by: number | null;
}

export interface DocsSpacesTable {
  space_id: string;
  brand_id: number;
  name: string;
  created_at: Timestamp;
}

export interface ErasuresTable {
  erasure_id: Computed<number>;
  kind: string;
  subject_id: number;
  requested_at: Timestamp;
  things: Json | null;
  attempts: Generated<number>;
  finished_at: Timestamp | null;
}

export interface FeatureChoicesTable {
  brand_id: number;
  feature: string;
  is_on: boolean;
  changed_by: number;
  changed_at: Timestamp;
  changed_by_agent: string | null;
}

export interface FeedSourcesTable {
  feed_source_id: string;
  brand_id: number;
  name: string;
  url: string;
  created_at: Timestamp;
}

export interface ForgeDeliveriesTable {
  project_id: string;
  delivery_id: string;
  brand_id: number;
  received_at: Timestamp;
  about: Json | null;
}

export interface ForgeIssuesTable {
  project_id: string;
  repository: string;
  number: number;
  brand_id: number;
  card_id: string | null;
  url: string;
  title: string;
  commented_at: Timestamp | null;
  telling_until: Timestamp | null;
  archived_at: Timestamp | null;
  created_at: Timestamp;
}

export interface ForgeReworksTable {
  project_id: string;
  head_sha: string;
  brand_id: number;
  because: string;
  build_id: string | null;
  at: Timestamp;
}

export interface GuestAccessTable {
  brand_id: number;
  user_id: number;
  kind: string;
  resource_id: string;
  role: string;
  created_at: Timestamp;
}

export interface HirePackagesTable {
  hire_id: string;
  brand_id: number;
  package_name: string;
}

export interface HiresTable {
  hire_id: string;
  brand_id: number;
  profile_id: string;
  status: string;
  employee_name: string;
  builder: boolean;
  template: Json;
  repository: Json | null;
  agent_id: string;
  workstation_id: string | null;
  comp_reason: string | null;
  hired_by: number | null;
  granted_by: string | null;
  created_at: Timestamp;
  built_at: Timestamp | null;
  attempts: Generated<number>;
  failed_step: string | null;
  error: string | null;
  cancel_at_period_end: Generated<boolean>;
  last_period_end: Timestamp | null;
  effective_at: Timestamp | null;
  disabled_at: Timestamp | null;
  workspace_removed_at: Timestamp | null;
  number: number;
}

export interface IdempotencyKeysTable {
  brand_id: number;
  user_id: number;
  key: string;
  request_hash: string;
  answer: Buffer | null;
  content_type: string | null;
  status: number;
  made_id: string | null;
  created_at: Timestamp;
}

export interface ImportedCardsTable {
  brand_id: number;
  board_id: string;
  origin: string;
  card_id: string;
  created_at: Timestamp;
}

export interface InboxItemsTable {
  item_id: string;
  brand_id: number;
  user_id: number;
  kind: string;
  board_id: string;
  task_id: string;
  build_id: string | null;
  actor_user_id: number | null;
  excerpt: string | null;
  created_at: Timestamp;
  read_at: Timestamp | null;
  done_at: Timestamp | null;
  actor_agent_id: string | null;
  snoozed_until: Timestamp | null;
}

export interface InstalledPackagesTable {
  package_id: string;
  brand_id: number;
  name: string;
  version: string;
  enabled: Generated<boolean>;
  installed_at: Timestamp;
  brought_by_hire: Generated<boolean>;
}

export interface InvitationGrantsTable {
  invitation_id: number;
  brand_id: number;
  kind: string;
  resource_id: string;
  role: string;
  token_hash: string | null;
  created_at: Timestamp;
}

export interface InvitationsTable {
  id: Computed<number>;
  brand_id: number;
  email: string;
  role: Generated<string>;
  token_hash: string;
  status: string;
  invited_by: number | null;
  created_at: Timestamp;
  expires_at: Timestamp;
  accepted_at: Timestamp | null;
  account_name: string | null;
}

export interface JobRunsTable {
  name: string;
  started_at: Timestamp;
  finished_at: Timestamp;
  error: string | null;
}

export interface LeftoverFilesTable {
  file_key: string;
  due_at: Timestamp;
}

export interface LessonAnchorsTable {
  lesson_no: number;
  position: number;
  brand_id: number;
  project_id: string;
  written: string;
  path: string;
  kind: string;
  node_no: number | null;
}

export interface LessonMovesTable {
  lesson_no: number;
  position: number;
  from_path: string;
  to_path: string;
  commit_id: string;
}

export interface LessonVectorsTable {
  brand_id: number;
  model: string;
  text_hash: string;
  dimensions: number;
  vector: Buffer;
}

export interface LessonsTable {
  lesson_no: Computed<number>;
  brand_id: number;
  project_id: string;
  lesson_id: string;
  path: string;
  origin: string;
  type: string;
  title: string;
  body: string;
  pinned: boolean;
  author: string | null;
  card: string | null;
  scope: string | null;
  status: string;
  superseded_by: string | null;
  content_hash: string;
  text_hashes: string[];
  stale_commit: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ListeningNodesTable {
  node_id: string;
  beat: number;
}

export interface MachineUpdatesTable {
  update_id: string;
  desk_id: string;
  brand_id: number;
  status: string;
  requested_by: number;
  requested_by_name: string;
  requested_at: Timestamp;
  wait_for_idle: Generated<boolean>;
  error: string | null;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
  from_version: string | null;
  from_code_digest: string | null;
  to_version: string | null;
  to_code_digest: string | null;
  requested_by_agent: string | null;
}

export interface MailNamesTable {
  name: string;
  user_id: number;
  current: boolean;
  forwards_until: Timestamp | null;
}

export interface MembershipsTable {
  brand_id: number;
  user_id: number;
  role: string;
  position: string | null;
  photo_key: string | null;
  active: Generated<boolean>;
  joined_at: Timestamp;
}

export interface MemoriesTable {
  memory_id: string;
  brand_id: number;
  agent_id: string;
  kind: string;
  title: string;
  body: string;
  description: string | null;
  tags: Generated<string[]>;
  set_confidence: number;
  importance: string;
  status: Generated<string>;
  excerpt: Generated<string>;
  source_id: string | null;
  conversation_id: string | null;
  extractor: string | null;
  merged_into: string | null;
  merged_from: Generated<string[]>;
  consolidated: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
  last_verified_at: Timestamp;
  search: string;
  words: string | null;
  text_hash: Buffer | null;
  changed_in: Generated<string>;
  changed_by: number | null;
  from_guest: Generated<boolean>;
  changed_by_agent: string | null;
  superseded_by: string | null;
}

export interface MemoryConversationsTable {
  conversation_id: string;
  brand_id: number;
  agent_id: string;
  source_id: string | null;
  source_type: string;
  external_id: string;
  status: string;
  attempts: Generated<number>;
  next_attempt_at: Timestamp | null;
  error: string | null;
  pending: Generated<Json>;
  received: Generated<number>;
  claim_id: string | null;
  claimed_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  from_guest: Generated<boolean>;
}

export interface MemoryExportsTable {
  agent_id: string;
  brand_id: number;
  entries: Json;
  digest: string;
  exported_at: Timestamp;
  replaced_digest: string | null;
  replaced_entries: Json | null;
}

export interface MemoryHistoryTable {
  entry_id: Computed<number>;
  brand_id: number;
  memory_id: string;
  at: Timestamp;
  action: string;
  actor_user_id: number | null;
  changes: Generated<Json>;
  actor_agent_id: string | null;
}

export interface MemoryRemovalsTable {
  agent_id: string;
  brand_id: number;
  memory_id: string;
  removed_in: Generated<string>;
}

export interface MemorySourceFilesTable {
  agent_id: string;
  source_type: string;
  path: string;
  read_bytes: number;
  head_bytes: number;
  head_hash: string;
}

export interface MemorySourcesTable {
  source_id: string;
  brand_id: number;
  agent_id: string;
  source_type: string;
  config: Generated<Json>;
  enabled: Generated<boolean>;
  read_until: Timestamp | null;
  last_picked_up_at: Timestamp | null;
  error: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface MemoryUnembeddedTable {
  memory_id: string;
  brand_id: number;
  text_hash: Buffer;
  claimed_at: Timestamp | null;
}

export interface MemoryVectorsTable {
  agent_id: string;
  brand_id: number;
  model: string;
  text_hash: Buffer;
  dimensions: number;
  vector: Buffer;
  made_in: Generated<string>;
}

export interface MfaChallengesTable {
  challenge_hash: string;
  user_id: number;
  brand_id: number;
  wrong_codes: Generated<number>;
  created_at: Timestamp;
  expires_at: Timestamp;
  by_provider: Generated<boolean>;
}

export interface ModelPricesTable {
  model: string;
  valid_from: Timestamp;
  usd_per_mtok_in: number;
  usd_per_mtok_out: number;
}

export interface OidcAccountsTable {
  issuer: string;
  subject: string;
  user_id: number;
  created_at: Timestamp;
}

export interface PasswordResetRequestsTable {
  request_id: Computed<number>;
  account_name: string;
  address: string | null;
  requested_at: Timestamp;
  claimed_at: Timestamp | null;
}

export interface PasswordResetsTable {
  token_hash: string;
  user_id: number;
  created_at: Timestamp;
  expires_at: Timestamp;
  used_at: Timestamp | null;
}

export interface PastGuestsTable {
  brand_id: number;
  user_id: number;
}

export interface ProjectChecksTable {
  project_id: string;
  brand_id: number;
  checks: Json;
  setup: Json | null;
  required: boolean;
  updated_at: Timestamp;
}

export interface ProjectForgesTable {
  project_id: string;
  brand_id: number;
  kind: string;
  api_url: string;
  repository: string;
  sealed_token: string;
  default_branch: string;
  issues_label: string | null;
  issues_board_id: string | null;
  hook_secret: string | null;
  past_hook_secrets: Generated<Json>;
  hook_last_at: Timestamp | null;
  checked_at: Timestamp | null;
  error: string | null;
  connected_by: number | null;
  connected_at: Timestamp;
  look_at: Timestamp;
  paused_until: Timestamp | null;
  failures: Generated<number>;
  issues_seen_to: Timestamp | null;
}

export interface ProjectsTable {
  project_id: string;
  brand_id: number;
  name: string;
  repository_url: string | null;
  repository_branch: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  looked_at: Timestamp | null;
  ready_index_id: string | null;
  ready_commit: string | null;
  ready_extractor: number | null;
  index_version: Generated<number>;
  lessons_version: Generated<number>;
  step_count: Generated<number>;
  tried_commit: string | null;
  tried_extractor: number | null;
  tries: Generated<number>;
  plain_name: Computed<string | null>;
}

export interface ProofCodesTable {
  user_id: number;
  sealed_code: string;
  wrong_codes: Generated<number>;
  expires_at: Timestamp;
}

export interface PullRequestWishesTable {
  build_id: string;
  brand_id: number;
  project_id: string;
  card_id: string;
  branch: string;
  commit_sha: string;
  next_at: Timestamp | null;
  attempts: Generated<number>;
  leased_until: Timestamp | null;
  error: string | null;
  created_at: Timestamp;
}

export interface PullRequestsTable {
  project_id: string;
  number: number;
  brand_id: number;
  card_id: string;
  url: string;
  state: string;
  head_branch: string;
  head_sha: string;
  base_branch: string;
  base_sha: string | null;
  mergeable: boolean | null;
  merged_at: Timestamp | null;
  checks_state: Generated<string>;
  review_state: Generated<string>;
  checks: Generated<Json>;
  reviews: Generated<Json>;
  comments: Generated<Json>;
  deploy_url: string | null;
  build_id: string | null;
  pushed_sha: string | null;
  superseded_by: string | null;
  card_status: string | null;
  seen_at: Timestamp | null;
  look_at: Timestamp | null;
  look_attempts: Generated<number>;
  created_at: Timestamp;
  ended_at: Timestamp | null;
}

export interface RecoveryCodesTable {
  user_id: number;
  code_hash: string;
  used_at: Timestamp | null;
}

export interface ReplicaBeatsTable {
  node_id: string;
  beat: number;
  beaten_at: Timestamp;
}

export interface ReviewCommentsTable {
  comment_id: string;
  brand_id: number;
  build_id: string;
  answers: string | null;
  path: string | null;
  line: number | null;
  side: Generated<string>;
  commit_sha: string | null;
  context: string | null;
  body: string;
  author_user_id: number | null;
  author_agent_id: string | null;
  draft_of: number | null;
  written_at: Timestamp;
  sent_at: Timestamp | null;
  resolved_at: Timestamp | null;
  resolved_by: number | null;
  resolved_by_agent: string | null;
}

export interface SavedViewsTable {
  view_id: string;
  brand_id: number;
  user_id: number;
  name: string;
  query: string;
  created_at: Timestamp;
  shared: Generated<boolean>;
}

export interface ServerSecretsTable {
  name: string;
  value: string;
}

export interface SessionsTable {
  session_id: string;
  secret_hash: string;
  user_id: number;
  brand_id: number;
  created_at: Timestamp;
  expires_at: Timestamp;
  last_seen_at: Timestamp | null;
  signed_in_at: Timestamp | null;
  address: string | null;
  agent: string | null;
  by_provider: Generated<boolean>;
}

export interface SpendEntriesTable {
  entry_id: Computed<number>;
  brand_id: number;
  build_id: string;
  at: Timestamp;
  day: string;
  project_id: string;
  task_id: string;
  agent_id: string | null;
  coder: string;
  profile: string | null;
  tokens_in: number;
  tokens_out: number;
  cost_micros: number;
}

export interface SpendTalliesTable {
  brand_id: number;
  scope: string;
  subject: string;
  period: string;
  builds: Generated<number>;
  tokens_in: Generated<number>;
  tokens_out: Generated<number>;
  spent_micros: Generated<number>;
  reserved_micros: Generated<number>;
  told: Generated<number>;
  unmetered: Generated<number>;
}

export interface TestClockTable {
  only_row: Generated<boolean>;
  offset_ms: number;
  frozen_at: Timestamp | null;
}

export interface TokensTable {
  token_id: string;
  token_hash: string;
  brand_id: number;
  user_id: number;
  name: string;
  scopes: string[];
  created_at: Timestamp;
  expires_at: Timestamp | null;
  revoked_at: Timestamp | null;
  last_used_at: Timestamp | null;
  agent_id: string | null;
}

export interface TotpFactorsTable {
  user_id: number;
  sealed_secret: string;
  created_at: Timestamp;
  confirmed_at: Timestamp | null;
  last_step: number | null;
}

export interface UsersTable {
  user_id: Computed<number>;
  email: string;
  full_name: string;
  password_hash: string | null;
  kind: string;
  mail_address: string | null;
  created_at: Timestamp;
  account_name: string | null;
  erased_at: Timestamp | null;
  plain_name: Computed<string | null>;
}

export interface WebhookDeliveriesTable {
  delivery_id: string;
  webhook_id: string;
  event_id: string;
  status: string;
  attempts: Generated<Json>;
  failures: Generated<number>;
  next_attempt_at: Timestamp | null;
  due_at: Timestamp | null;
  created_at: Timestamp;
}

export interface WebhookMessagesTable {
  event_id: string;
  brand_id: number;
  type: string;
  body: string;
  created_at: Timestamp;
}

export interface WebhooksTable {
  webhook_id: string;
  brand_id: number;
  url: string;
  events: string[];
  description: string | null;
  enabled: boolean;
  disabled_reason: string | null;
  secret: string;
  past_secrets: Generated<Json>;
  failing_since: Timestamp | null;
  notice_due_at: Timestamp | null;
  created_at: Timestamp;
  failing_days: Generated<number>;
}

export interface Tables {
  agent_repositories: AgentRepositoriesTable;
  agents: AgentsTable;
  attachment_tallies: AttachmentTalliesTable;
  audit_log: AuditLogTable;
  board_activity: BoardActivityTable;
  board_columns: BoardColumnsTable;
  board_retired_keys: BoardRetiredKeysTable;
  boards: BoardsTable;
  brands: BrandsTable;
  budget_holds: BudgetHoldsTable;
  budgets: BudgetsTable;
  build_briefs: BuildBriefsTable;
  build_bundles: BuildBundlesTable;
  build_check_log_chunks: BuildCheckLogChunksTable;
  build_check_runs: BuildCheckRunsTable;
  build_checks: BuildChecksTable;
  build_desks: BuildDesksTable;
  build_log_chunks: BuildLogChunksTable;
  build_money: BuildMoneyTable;
  build_policies: BuildPoliciesTable;
  build_tallies: BuildTalliesTable;
  build_tokens: BuildTokensTable;
  builds: BuildsTable;
  card_attachments: CardAttachmentsTable;
  card_blockers: CardBlockersTable;
  card_bodies: CardBodiesTable;
  card_comments: CardCommentsTable;
  card_import_rows: CardImportRowsTable;
  card_imports: CardImportsTable;
  card_tallies: CardTalliesTable;
  card_words: CardWordsTable;
  cards: CardsTable;
  catalog_profiles: CatalogProfilesTable;
  code_deploy_keys: CodeDeployKeysTable;
  code_edges: CodeEdgesTable;
  code_facts: CodeFactsTable;
  code_host_keys: CodeHostKeysTable;
  code_indexes: CodeIndexesTable;
  code_nodes: CodeNodesTable;
  code_project_credentials: CodeProjectCredentialsTable;
  coder_profile_changes: CoderProfileChangesTable;
  coder_profile_overrides: CoderProfileOverridesTable;
  desk_events: DeskEventsTable;
  desk_poll_nodes: DeskPollNodesTable;
  desks: DesksTable;
  docs_spaces: DocsSpacesTable;
  erasures: ErasuresTable;
  feature_choices: FeatureChoicesTable;
  feed_sources: FeedSourcesTable;
  forge_deliveries: ForgeDeliveriesTable;
  forge_issues: ForgeIssuesTable;
  forge_reworks: ForgeReworksTable;
  guest_access: GuestAccessTable;
  hire_packages: HirePackagesTable;
  hires: HiresTable;
  idempotency_keys: IdempotencyKeysTable;
  imported_cards: ImportedCardsTable;
  inbox_items: InboxItemsTable;
  installed_packages: InstalledPackagesTable;
  invitation_grants: InvitationGrantsTable;
  invitations: InvitationsTable;
  job_runs: JobRunsTable;
  leftover_files: LeftoverFilesTable;
  lesson_anchors: LessonAnchorsTable;
  lesson_moves: LessonMovesTable;
  lesson_vectors: LessonVectorsTable;
  lessons: LessonsTable;
  listening_nodes: ListeningNodesTable;
  machine_updates: MachineUpdatesTable;
  mail_names: MailNamesTable;
  memberships: MembershipsTable;
  memories: MemoriesTable;
  memory_conversations: MemoryConversationsTable;
  memory_exports: MemoryExportsTable;
  memory_history: MemoryHistoryTable;
  memory_removals: MemoryRemovalsTable;
  memory_source_files: MemorySourceFilesTable;
  memory_sources: MemorySourcesTable;
  memory_unembedded: MemoryUnembeddedTable;
  memory_vectors: MemoryVectorsTable;
  mfa_challenges: MfaChallengesTable;
  model_prices: ModelPricesTable;
  oidc_accounts: OidcAccountsTable;
  password_reset_requests: PasswordResetRequestsTable;
  password_resets: PasswordResetsTable;
  past_guests: PastGuestsTable;
  project_checks: ProjectChecksTable;
  project_forges: ProjectForgesTable;
  projects: ProjectsTable;
  proof_codes: ProofCodesTable;
  pull_request_wishes: PullRequestWishesTable;
  pull_requests: PullRequestsTable;
  recovery_codes: RecoveryCodesTable;
  replica_beats: ReplicaBeatsTable;
  review_comments: ReviewCommentsTable;
  saved_views: SavedViewsTable;
  server_secrets: ServerSecretsTable;
  sessions: SessionsTable;
  spend_entries: SpendEntriesTable;
  spend_tallies: SpendTalliesTable;
  test_clock: TestClockTable;
  tokens: TokensTable;
  totp_factors: TotpFactorsTable;
  users: UsersTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_messages: WebhookMessagesTable;
  webhooks: WebhooksTable;
}
