-- The database as all migrations leave it, for readers. Made by `npm run generate`; changes here are lost.
-- The service makes it from src/platform/database/migrations.

create extension btree_gin;
create extension citext;
create extension pg_trgm;
create extension unaccent;
-- text search configuration memory_stems: asciiword english_stem, word unaccent+english_stem, numword simple, email simple, url simple, host simple, sfloat simple, version simple, hword_numpart simple, hword_part unaccent+english_stem, hword_asciipart english_stem, numhword simple, asciihword english_stem, hword unaccent+english_stem, url_path simple, file simple, float simple, int simple, uint simple
-- text search configuration memory_words: asciiword simple, word unaccent+simple, numword simple, email simple, url simple, host simple, sfloat simple, version simple, hword_numpart simple, hword_part unaccent+simple, hword_asciipart simple, numhword simple, asciihword simple, hword unaccent+simple, url_path simple, file simple, float simple, int simple, uint simple
-- aggregate whole_sum(bigint): state function int8pl

CREATE TABLE agent_repositories (
  brand_id integer NOT NULL,
  program text NOT NULL,
  repository_digest text NOT NULL,
  repository text NOT NULL,
  agent_id text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT agent_repositories_pkey PRIMARY KEY (brand_id, program, repository_digest),
  CONSTRAINT agent_repositories_one_each UNIQUE (agent_id),
  CONSTRAINT agent_repositories_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id) ON DELETE CASCADE,
  CONSTRAINT agent_repositories_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);

CREATE TABLE agents (
  agent_id text NOT NULL,
  name text NOT NULL,
  brand_id integer,
  created_at timestamp with time zone NOT NULL,
  directory_removed_at timestamp with time zone,
  plain_name text GENERATED ALWAYS AS (plain_name((name || ' '::text) || agent_id)) STORED,
  CONSTRAINT agents_pkey PRIMARY KEY (agent_id),
  CONSTRAINT agents_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX agents_by_brand ON agents USING btree (brand_id, agent_id);
CREATE TRIGGER agents_settings AFTER UPDATE OF name ON agents FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name) EXECUTE FUNCTION tell_changed_settings();

CREATE TABLE attachment_tallies (
  brand_id integer NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT attachment_tallies_pkey PRIMARY KEY (brand_id),
  CONSTRAINT attachment_tallies_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);

CREATE TABLE audit_log (
  audit_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamp with time zone NOT NULL,
  brand_id integer,
  actor_kind text NOT NULL,
  actor_user_id integer,
  actor_token_id uuid,
  action text NOT NULL,
  subject text NOT NULL,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  request_id text,
  address text,
  credential text,
  actor_agent_id text,
  CONSTRAINT audit_log_pkey PRIMARY KEY (audit_id),
  CONSTRAINT audit_log_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE SET NULL
);
CREATE INDEX audit_log_by_action ON audit_log USING btree (brand_id, action, audit_id DESC);
CREATE INDEX audit_log_by_actor ON audit_log USING btree (actor_user_id, audit_id DESC) WHERE actor_user_id IS NOT NULL;
CREATE INDEX audit_log_by_brand ON audit_log USING btree (brand_id, audit_id DESC);
CREATE INDEX audit_log_by_deed ON audit_log USING btree (action, audit_id DESC);

CREATE TABLE board_activity (
  board_id uuid NOT NULL,
  sequence bigint NOT NULL,
  id uuid NOT NULL,
  action text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  task_id uuid,
  ref text,
  card_version integer,
  actor_user_id integer,
  changes jsonb NOT NULL,
  actor_agent_id text,
  CONSTRAINT board_activity_pkey PRIMARY KEY (board_id, sequence),
  CONSTRAINT board_activity_actor_user_id_fkey FOREIGN KEY (actor_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT board_activity_board_id_fkey FOREIGN KEY (board_id) REFERENCES boards(board_id) ON DELETE CASCADE
);
CREATE INDEX board_activity_by_actor ON board_activity USING btree (actor_user_id, id) WHERE actor_user_id IS NOT NULL;
CREATE INDEX board_activity_by_card ON board_activity USING btree (task_id, sequence) WHERE task_id IS NOT NULL;

CREATE TABLE board_columns (
  column_id uuid NOT NULL,
  board_id uuid NOT NULL,
  "position" integer NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL,
  status text NOT NULL,
  CONSTRAINT board_columns_pkey PRIMARY KEY (column_id),
  CONSTRAINT board_columns_name_unique UNIQUE (board_id, name_key) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT board_columns_board_id_fkey FOREIGN KEY (board_id) REFERENCES boards(board_id) ON DELETE CASCADE,
  CONSTRAINT board_columns_status_known CHECK (status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'in_review'::text, 'blocked'::text, 'done'::text, 'canceled'::text]))
);
CREATE INDEX board_columns_by_board ON board_columns USING btree (board_id, "position");

CREATE TABLE board_retired_keys (
  brand_id integer NOT NULL,
  key text NOT NULL,
  board_id uuid,
  entry_id uuid,
  deleted_at timestamp with time zone,
  deleted_by integer,
  deleted_by_agent text,
  CONSTRAINT board_retired_keys_pkey PRIMARY KEY (brand_id, key),
  CONSTRAINT board_retired_keys_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT board_retired_keys_deleted_by_fkey FOREIGN KEY (deleted_by) REFERENCES users(user_id) ON DELETE SET NULL
);
CREATE UNIQUE INDEX board_retired_keys_by_board ON board_retired_keys USING btree (board_id) WHERE board_id IS NOT NULL;

CREATE TABLE boards (
  board_id uuid NOT NULL,
  brand_id integer NOT NULL,
  name text NOT NULL,
  key text NOT NULL,
  board_type text NOT NULL,
  last_number integer DEFAULT 0 NOT NULL,
  last_sequence bigint DEFAULT 0 NOT NULL,
  last_activity_at timestamp with time zone NOT NULL,
  layout integer DEFAULT 1 NOT NULL,
  created_by integer,
  created_at timestamp with time zone NOT NULL,
  plain_name text GENERATED ALWAYS AS (plain_name((name || ' '::text) || key)) STORED,
  CONSTRAINT boards_pkey PRIMARY KEY (board_id),
  CONSTRAINT boards_key_unique UNIQUE (brand_id, key),
  CONSTRAINT boards_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT boards_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT boards_type_known CHECK (board_type = ANY (ARRAY['build'::text, 'crm'::text, 'general'::text]))
);
CREATE INDEX boards_by_brand ON boards USING btree (brand_id, created_at, board_id);
CREATE TRIGGER boards_settings AFTER INSERT OR DELETE OR UPDATE OF board_type ON boards FOR EACH ROW EXECUTE FUNCTION tell_changed_settings();

CREATE TABLE brands (
  brand_id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text NOT NULL,
  plan text NOT NULL,
  subscription_active boolean DEFAULT true NOT NULL,
  scope_ceiling text[] NOT NULL,
  new_navigation boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone NOT NULL,
  require_mfa boolean DEFAULT false NOT NULL,
  erasing_at timestamp with time zone,
  timezone text DEFAULT 'UTC'::text NOT NULL,
  CONSTRAINT brands_pkey PRIMARY KEY (brand_id),
  CONSTRAINT brands_plan_known CHECK (plan = ANY (ARRAY['free'::text, 'team'::text, 'business'::text, 'enterprise'::text]))
);
CREATE INDEX brands_by_part ON brands USING gin (name gin_trgm_ops);
CREATE TRIGGER brands_settings AFTER UPDATE OF plan, new_navigation ON brands FOR EACH ROW EXECUTE FUNCTION tell_changed_settings();

CREATE TABLE budget_holds (
  build_id uuid NOT NULL,
  brand_id integer NOT NULL,
  scope text NOT NULL,
  subject text NOT NULL,
  period text NOT NULL,
  micros bigint NOT NULL,
  CONSTRAINT budget_holds_pkey PRIMARY KEY (build_id, scope, subject, period),
  CONSTRAINT budget_holds_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX budget_holds_by_brand ON budget_holds USING btree (brand_id);

CREATE TABLE budgets (
  brand_id integer NOT NULL,
  scope text NOT NULL,
  subject text NOT NULL,
  build_micros bigint,
  card_micros bigint,
  day_micros bigint,
  month_micros bigint,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT budgets_pkey PRIMARY KEY (brand_id, scope, subject),
  CONSTRAINT budgets_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT budgets_scope_known CHECK (scope = ANY (ARRAY['workspace'::text, 'project'::text, 'agent'::text]))
);

CREATE TABLE build_briefs (
  build_id uuid NOT NULL,
  body text NOT NULL,
  CONSTRAINT build_briefs_pkey PRIMARY KEY (build_id),
  CONSTRAINT build_briefs_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(build_id) ON DELETE CASCADE
);

CREATE TABLE build_bundles (
  build_id uuid NOT NULL,
  part integer NOT NULL,
  bytes bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT build_bundles_pkey PRIMARY KEY (build_id, part),
  CONSTRAINT build_bundles_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(build_id) ON DELETE CASCADE
);

CREATE TABLE build_check_log_chunks (
  build_id uuid NOT NULL,
  "position" integer NOT NULL,
  seq integer NOT NULL,
  at timestamp with time zone NOT NULL,
  bytes integer NOT NULL,
  body text NOT NULL,
  CONSTRAINT build_check_log_chunks_pkey PRIMARY KEY (build_id, "position", seq),
  CONSTRAINT build_check_log_chunks_check_fkey FOREIGN KEY (build_id, "position") REFERENCES build_checks(build_id, "position") ON DELETE CASCADE
);

CREATE TABLE build_check_runs (
  build_id uuid NOT NULL,
  brand_id integer NOT NULL,
  head_sha text NOT NULL,
  setup jsonb,
  required boolean NOT NULL,
  minutes integer NOT NULL,
  began_at timestamp with time zone NOT NULL,
  runs integer DEFAULT 0 NOT NULL,
  claim_hash text,
  desk_id uuid,
  claimed_at timestamp with time zone,
  started_at timestamp with time zone,
  heard_at timestamp with time zone,
  finish_digest text,
  setup_result jsonb,
  ended_at timestamp with time zone,
  CONSTRAINT build_check_runs_pkey PRIMARY KEY (build_id),
  CONSTRAINT build_check_runs_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT build_check_runs_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(build_id) ON DELETE CASCADE
);
CREATE INDEX build_check_runs_by_brand ON build_check_runs USING btree (brand_id);
CREATE INDEX build_check_runs_open ON build_check_runs USING btree (brand_id, began_at, build_id) WHERE ended_at IS NULL;

CREATE TABLE build_checks (
  build_id uuid NOT NULL,
  "position" integer NOT NULL,
  name text NOT NULL,
  command text NOT NULL,
  minutes integer NOT NULL,
  status text NOT NULL,
  exit_code integer,
  seconds double precision,
  log_seq integer DEFAULT 0 NOT NULL,
  log_bytes integer DEFAULT 0 NOT NULL,
  log_head_seq integer DEFAULT 0 NOT NULL,
  log_head_bytes integer DEFAULT 0 NOT NULL,
  log_gap_until integer DEFAULT 0 NOT NULL,
  log_gap_bytes bigint DEFAULT 0 NOT NULL,
  CONSTRAINT build_checks_pkey PRIMARY KEY (build_id, "position"),
  CONSTRAINT build_checks_name_unique UNIQUE (build_id, name),
  CONSTRAINT build_checks_build_id_fkey FOREIGN KEY (build_id) REFERENCES build_check_runs(build_id) ON DELETE CASCADE,
  CONSTRAINT build_checks_status_known CHECK (status = ANY (ARRAY['pending'::text, 'running'::text, 'passed'::text, 'failed'::text, 'timed_out'::text, 'skipped'::text]))
);

CREATE TABLE build_desks (
  desk_id uuid NOT NULL,
  brand_id integer NOT NULL,
  asked_at timestamp with time zone,
  free_slots integer DEFAULT 0 NOT NULL,
  coders text[] DEFAULT '{}'::text[] NOT NULL,
  held_until timestamp with time zone,
  missing jsonb DEFAULT '[]'::jsonb NOT NULL,
  wrapped text[] DEFAULT '{}'::text[] NOT NULL,
  refusals jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT build_desks_pkey PRIMARY KEY (desk_id),
  CONSTRAINT build_desks_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX build_desks_by_brand ON build_desks USING btree (brand_id);

CREATE TABLE build_log_chunks (
  build_id uuid NOT NULL,
  seq integer NOT NULL,
  at timestamp with time zone NOT NULL,
  bytes integer NOT NULL,
  body text NOT NULL,
  CONSTRAINT build_log_chunks_pkey PRIMARY KEY (build_id, seq),
  CONSTRAINT build_log_chunks_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(build_id) ON DELETE CASCADE
);

CREATE TABLE build_money (
  build_id uuid NOT NULL,
  brand_id integer NOT NULL,
  agent_id text,
  ceiling_micros bigint,
  reserved_micros bigint DEFAULT 0 NOT NULL,
  priced boolean DEFAULT false NOT NULL,
  unmetered boolean DEFAULT false NOT NULL,
  CONSTRAINT build_money_pkey PRIMARY KEY (build_id),
  CONSTRAINT build_money_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX build_money_by_brand ON build_money USING btree (brand_id);

CREATE TABLE build_policies (
  brand_id integer NOT NULL,
  enabled boolean NOT NULL,
  max_open integer,
  max_per_day integer,
  max_minutes integer,
  updated_at timestamp with time zone NOT NULL,
  allow_secrets boolean DEFAULT false NOT NULL,
  rework jsonb DEFAULT '{}'::jsonb NOT NULL,
  stall_minutes integer DEFAULT 20 NOT NULL,
  reviewer jsonb,
  question_hours integer DEFAULT 72 NOT NULL,
  CONSTRAINT build_policies_pkey PRIMARY KEY (brand_id),
  CONSTRAINT build_policies_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);

CREATE TABLE build_questions (
  question_id uuid NOT NULL,
  brand_id integer NOT NULL,
  build_id uuid NOT NULL,
  key text NOT NULL,
  question text NOT NULL,
  choices text[],
  asked_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  answered_at timestamp with time zone,
  answered_by integer,
  answered_by_agent text,
  choice text,
  text text,
  expired_at timestamp with time zone,
  delivered_at timestamp with time zone,
  CONSTRAINT build_questions_pkey PRIMARY KEY (question_id),
  CONSTRAINT build_questions_once UNIQUE (build_id, key),
  CONSTRAINT build_questions_answered_by_fkey FOREIGN KEY (answered_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT build_questions_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT build_questions_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(build_id) ON DELETE CASCADE
);
CREATE INDEX build_questions_by_brand ON build_questions USING btree (brand_id);
CREATE INDEX build_questions_by_person ON build_questions USING btree (answered_by) WHERE answered_by IS NOT NULL;
CREATE INDEX build_questions_open ON build_questions USING btree (expires_at) WHERE answered_at IS NULL AND expired_at IS NULL;

CREATE TABLE build_tallies (
  brand_id integer NOT NULL,
  workstation_id uuid NOT NULL,
  coder text NOT NULL,
  outcome text NOT NULL,
  builds bigint NOT NULL,
  review text DEFAULT ''::text NOT NULL,
  CONSTRAINT build_tallies_pkey PRIMARY KEY (brand_id, workstation_id, coder, outcome, review),
  CONSTRAINT build_tallies_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);

CREATE TABLE build_tokens (
  build_id uuid NOT NULL,
  token_hash text NOT NULL,
  sealed text NOT NULL,
  agent_id text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT build_tokens_pkey PRIMARY KEY (build_id),
  CONSTRAINT build_tokens_hash_unique UNIQUE (token_hash),
  CONSTRAINT build_tokens_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(build_id) ON DELETE CASCADE
);

CREATE TABLE builds (
  build_id uuid NOT NULL,
  brand_id integer NOT NULL,
  task_id uuid NOT NULL,
  ref text NOT NULL,
  project_id uuid NOT NULL,
  attempt integer NOT NULL,
  coder text NOT NULL,
  profile text,
  settings jsonb,
  wall_minutes double precision,
  wanted_workstation_id uuid,
  branch text NOT NULL,
  base_branch text NOT NULL,
  base_sha text NOT NULL,
  continues uuid,
  note text,
  review_comments jsonb DEFAULT '[]'::jsonb NOT NULL,
  created_by integer,
  queued_at timestamp with time zone NOT NULL,
  claim_hash text,
  workstation_id uuid,
  claimed_at timestamp with time zone,
  started_at timestamp with time zone,
  heard_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  brief_digest text,
  finished_at timestamp with time zone,
  outcome text,
  lost_at timestamp with time zone,
  finish_digest text,
  reason text,
  result text,
  confirmed boolean DEFAULT false NOT NULL,
  tokens_in bigint,
  tokens_out bigint,
  cost_usd double precision,
  head_sha text,
  diff jsonb,
  accepted_at timestamp with time zone,
  accepted_by integer,
  pushed_at timestamp with time zone,
  push_error text,
  log_seq integer DEFAULT 0 NOT NULL,
  log_bytes integer DEFAULT 0 NOT NULL,
  log_head_seq integer DEFAULT 0 NOT NULL,
  log_head_bytes integer DEFAULT 0 NOT NULL,
  log_gap_until integer DEFAULT 0 NOT NULL,
  log_gap_bytes bigint DEFAULT 0 NOT NULL,
  push_attempts integer DEFAULT 0 NOT NULL,
  push_next_at timestamp with time zone,
  reworked_at timestamp with time zone,
  reworked_by integer,
  guest_words boolean DEFAULT false NOT NULL,
  origin_sha text,
  created_by_agent text,
  reviewed_by_agent text,
  local boolean DEFAULT false NOT NULL,
  checking_at timestamp with time zone,
  stop_requested_at timestamp with time zone,
  stop_reason text,
  progress_at timestamp with time zone,
  stall_minutes integer,
  stall_told_at timestamp with time zone,
  gate jsonb,
  risk jsonb,
  risk_score smallint,
  examine_at timestamp with time zone,
  examine_tries integer DEFAULT 0 NOT NULL,
  kind text DEFAULT 'build'::text NOT NULL,
  reviewed_build_id uuid,
  verdict jsonb,
  review_wanted_at timestamp with time zone,
  came_back jsonb,
  rework_of text[],
  superseded boolean DEFAULT false NOT NULL,
  unpaid_at timestamp with time zone,
  pushed_branch text,
  waiting_since timestamp with time zone,
  waited_seconds double precision DEFAULT 0 NOT NULL,
  CONSTRAINT builds_pkey PRIMARY KEY (build_id),
  CONSTRAINT builds_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT builds_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT builds_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT builds_reworked_by_fkey FOREIGN KEY (reworked_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT builds_finished_with_outcome CHECK ((finished_at IS NULL) = (outcome IS NULL)),
  CONSTRAINT builds_kind_known CHECK (kind = ANY (ARRAY['build'::text, 'review'::text])),
  CONSTRAINT builds_one_decision CHECK (accepted_at IS NULL OR reworked_at IS NULL),
  CONSTRAINT builds_outcome_known CHECK (outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'canceled'::text, 'timed_out'::text, 'lost'::text]))
);
CREATE INDEX builds_accepted ON builds USING btree (brand_id, accepted_at, build_id) WHERE accepted_at IS NOT NULL AND pushed_at IS NULL;
CREATE UNIQUE INDEX builds_attempt_once ON builds USING btree (task_id, attempt) WHERE kind = 'build'::text;
CREATE INDEX builds_by_brand ON builds USING btree (brand_id, queued_at DESC, build_id DESC);
CREATE INDEX builds_by_desk ON builds USING btree (brand_id, workstation_id, queued_at DESC, build_id DESC) WHERE workstation_id IS NOT NULL;
CREATE INDEX builds_by_risk ON builds USING btree (brand_id, COALESCE(risk_score, - 1::smallint) DESC, build_id DESC);
CREATE INDEX builds_by_task ON builds USING btree (brand_id, task_id, queued_at DESC, build_id DESC);
CREATE INDEX builds_by_word ON builds USING gin (search_words(brand_id, ref, build_text(note, reason, result, branch))) WITH (gin_pending_list_limit='128');
CREATE UNIQUE INDEX builds_one_open_build ON builds USING btree (task_id) WHERE finished_at IS NULL AND kind = 'build'::text;
CREATE INDEX builds_open ON builds USING btree (brand_id, queued_at, build_id) WHERE finished_at IS NULL;
CREATE INDEX builds_open_by_age ON builds USING btree (queued_at) WHERE finished_at IS NULL;
CREATE INDEX builds_open_on_desk ON builds USING btree (workstation_id) WHERE finished_at IS NULL AND workstation_id IS NOT NULL;
CREATE INDEX builds_pushed ON builds USING btree (brand_id, pushed_at, build_id) WHERE pushed_at IS NOT NULL;
CREATE INDEX builds_reviews_of ON builds USING btree (reviewed_build_id, queued_at) WHERE reviewed_build_id IS NOT NULL;
CREATE INDEX builds_reworked ON builds USING btree (brand_id, reworked_at, build_id) WHERE reworked_at IS NOT NULL;
CREATE INDEX builds_to_be_reviewed ON builds USING btree (review_wanted_at) WHERE review_wanted_at IS NOT NULL AND finished_at IS NULL;
CREATE INDEX builds_to_examine_of_brand ON builds USING btree (brand_id, examine_at) WHERE examine_at IS NOT NULL;
CREATE INDEX builds_to_push ON builds USING btree (push_next_at) WHERE push_next_at IS NOT NULL;
CREATE INDEX builds_to_review ON builds USING btree (brand_id, finished_at, build_id) WHERE outcome = 'succeeded'::text AND kind = 'build'::text AND NOT superseded AND accepted_at IS NULL AND reworked_at IS NULL;
CREATE INDEX builds_to_review_by_risk ON builds USING btree (brand_id, COALESCE(risk_score, - 1::smallint) DESC, build_id DESC) WHERE outcome = 'succeeded'::text AND kind = 'build'::text AND NOT superseded AND accepted_at IS NULL AND reworked_at IS NULL;
CREATE TRIGGER builds_added AFTER INSERT ON builds REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_added_builds();
CREATE TRIGGER builds_changed AFTER UPDATE ON builds REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tally_ended_builds();
CREATE TRIGGER builds_removed AFTER DELETE ON builds REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_removed_builds();
CREATE TRIGGER builds_superseded AFTER INSERT ON builds REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION supersede_builds();

CREATE TABLE card_attachments (
  attachment_id uuid NOT NULL,
  brand_id integer NOT NULL,
  card_id uuid NOT NULL,
  comment_id uuid,
  name text NOT NULL,
  content_type text NOT NULL,
  bytes integer NOT NULL,
  has_thumbnail boolean NOT NULL,
  author_user_id integer,
  author_agent_id text,
  by_guest boolean NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT card_attachments_pkey PRIMARY KEY (attachment_id),
  CONSTRAINT card_attachments_author FOREIGN KEY (author_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT card_attachments_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT card_attachments_card FOREIGN KEY (card_id) REFERENCES cards(card_id) ON DELETE CASCADE,
  CONSTRAINT card_attachments_comment FOREIGN KEY (comment_id) REFERENCES card_comments(comment_id) ON DELETE CASCADE
);
CREATE INDEX card_attachments_by_author ON card_attachments USING btree (author_user_id, attachment_id);
CREATE INDEX card_attachments_by_brand ON card_attachments USING btree (brand_id);
CREATE INDEX card_attachments_by_card ON card_attachments USING btree (card_id, created_at, attachment_id);
CREATE INDEX card_attachments_by_comment ON card_attachments USING btree (comment_id) WHERE comment_id IS NOT NULL;
CREATE TRIGGER card_attachments_gone AFTER DELETE ON card_attachments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION leave_attachment_files();

CREATE TABLE card_blockers (
  card_id uuid NOT NULL,
  blocker_id uuid NOT NULL,
  CONSTRAINT card_blockers_pkey PRIMARY KEY (card_id, blocker_id),
  CONSTRAINT card_blockers_blocker_id_fkey FOREIGN KEY (blocker_id) REFERENCES cards(card_id) ON DELETE CASCADE,
  CONSTRAINT card_blockers_card_id_fkey FOREIGN KEY (card_id) REFERENCES cards(card_id) ON DELETE CASCADE
);
CREATE INDEX card_blockers_by_blocker ON card_blockers USING btree (blocker_id);

CREATE TABLE card_bodies (
  card_id uuid NOT NULL,
  instructions text,
  result text,
  export_bytes integer NOT NULL,
  CONSTRAINT card_bodies_pkey PRIMARY KEY (card_id),
  CONSTRAINT card_bodies_card_id_fkey FOREIGN KEY (card_id) REFERENCES cards(card_id) ON DELETE CASCADE
);
CREATE TRIGGER card_bodies_words_added AFTER INSERT ON card_bodies FOR EACH ROW WHEN (COALESCE(new.instructions, ''::text) <> ''::text OR COALESCE(new.result, ''::text) <> ''::text) EXECUTE FUNCTION note_card_words();
CREATE TRIGGER card_bodies_words_changed AFTER UPDATE ON card_bodies FOR EACH ROW WHEN (old.instructions IS DISTINCT FROM new.instructions OR old.result IS DISTINCT FROM new.result) EXECUTE FUNCTION note_card_words();

CREATE TABLE card_comments (
  comment_id uuid NOT NULL,
  card_id uuid NOT NULL,
  author_user_id integer,
  body text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  by_guest boolean DEFAULT false NOT NULL,
  author_agent_id text,
  CONSTRAINT card_comments_pkey PRIMARY KEY (comment_id),
  CONSTRAINT card_comments_author_user_id_fkey FOREIGN KEY (author_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT card_comments_card_id_fkey FOREIGN KEY (card_id) REFERENCES cards(card_id) ON DELETE CASCADE
);
CREATE INDEX card_comments_by_author ON card_comments USING btree (author_user_id, comment_id) WHERE author_user_id IS NOT NULL;
CREATE INDEX card_comments_by_card ON card_comments USING btree (card_id, created_at, comment_id);
CREATE TRIGGER card_comments_words_added AFTER INSERT ON card_comments FOR EACH ROW EXECUTE FUNCTION note_comment_words();
CREATE TRIGGER card_comments_words_changed AFTER UPDATE ON card_comments FOR EACH ROW WHEN (old.body IS DISTINCT FROM new.body) EXECUTE FUNCTION note_comment_words();
CREATE TRIGGER card_comments_words_removed AFTER DELETE ON card_comments FOR EACH ROW EXECUTE FUNCTION forget_comment_words();

CREATE TABLE card_import_rows (
  import_id uuid NOT NULL,
  seq integer NOT NULL,
  brand_id integer NOT NULL,
  origin text,
  record jsonb,
  status text NOT NULL,
  reason text,
  card_id uuid,
  parent_seq integer,
  depth integer DEFAULT 0 NOT NULL,
  blocker_seqs integer[],
  missing_links text[],
  CONSTRAINT card_import_rows_pkey PRIMARY KEY (import_id, seq),
  CONSTRAINT card_import_rows_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT card_import_rows_import FOREIGN KEY (import_id) REFERENCES card_imports(import_id) ON DELETE CASCADE,
  CONSTRAINT card_import_rows_status CHECK (status = ANY (ARRAY['new'::text, 'known'::text, 'unreadable'::text, 'made'::text]))
);
CREATE INDEX card_import_rows_of_brand ON card_import_rows USING btree (brand_id, import_id);
CREATE INDEX card_import_rows_open ON card_import_rows USING btree (import_id, depth, seq) WHERE status = 'new'::text;

CREATE TABLE card_imports (
  import_id uuid NOT NULL,
  brand_id integer NOT NULL,
  board_id uuid NOT NULL,
  source text NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  mapping jsonb DEFAULT '{}'::jsonb NOT NULL,
  counts jsonb DEFAULT '{}'::jsonb NOT NULL,
  found jsonb DEFAULT '{}'::jsonb NOT NULL,
  error text,
  project_id uuid,
  page text,
  look_at timestamp with time zone,
  created_by integer,
  created_by_agent text,
  created_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  users jsonb DEFAULT '{}'::jsonb NOT NULL,
  pages_read integer DEFAULT 0 NOT NULL,
  rows_read integer DEFAULT 0 NOT NULL,
  CONSTRAINT card_imports_pkey PRIMARY KEY (import_id),
  CONSTRAINT card_imports_board FOREIGN KEY (board_id) REFERENCES boards(board_id) ON DELETE CASCADE,
  CONSTRAINT card_imports_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT card_imports_person FOREIGN KEY (created_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT card_imports_status CHECK (status = ANY (ARRAY['reading'::text, 'ready'::text, 'running'::text, 'done'::text, 'failed'::text]))
);
CREATE INDEX card_imports_age ON card_imports USING btree (created_at);
CREATE INDEX card_imports_of_board ON card_imports USING btree (board_id);
CREATE INDEX card_imports_of_brand ON card_imports USING btree (brand_id, created_at);
CREATE INDEX card_imports_open_of_brand ON card_imports USING btree (status, brand_id, created_at) WHERE status = ANY (ARRAY['reading'::text, 'running'::text]);

CREATE TABLE card_tallies (
  board_id uuid NOT NULL,
  column_id uuid NOT NULL,
  status text NOT NULL,
  has_pr boolean NOT NULL,
  cards integer NOT NULL,
  archived boolean DEFAULT false NOT NULL,
  CONSTRAINT card_tallies_pkey PRIMARY KEY (board_id, column_id, status, has_pr, archived),
  CONSTRAINT card_tallies_board_id_fkey FOREIGN KEY (board_id) REFERENCES boards(board_id) ON DELETE CASCADE,
  CONSTRAINT card_tallies_column_id_fkey FOREIGN KEY (column_id) REFERENCES board_columns(column_id) ON DELETE CASCADE
);
CREATE INDEX card_tallies_of_column ON card_tallies USING btree (column_id);

CREATE TABLE card_words (
  text_id uuid NOT NULL,
  card_id uuid NOT NULL,
  board_id uuid NOT NULL,
  brand_id integer NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  words tsvector NOT NULL,
  CONSTRAINT card_words_pkey PRIMARY KEY (text_id),
  CONSTRAINT card_words_card_id_fkey FOREIGN KEY (card_id) REFERENCES cards(card_id) ON DELETE CASCADE
);
CREATE INDEX card_words_by_card ON card_words USING btree (card_id);
CREATE INDEX card_words_by_word ON card_words USING gin (words) WITH (gin_pending_list_limit='128');
CREATE INDEX card_words_newest ON card_words USING btree (brand_id, changed_at DESC);
CREATE INDEX card_words_newest_of_board ON card_words USING btree (board_id, changed_at DESC);

CREATE TABLE cards (
  card_id uuid NOT NULL,
  board_id uuid NOT NULL,
  brand_id integer NOT NULL,
  number integer NOT NULL,
  column_id uuid NOT NULL,
  project_id uuid,
  title text NOT NULL,
  task_type text NOT NULL,
  status text NOT NULL,
  "position" double precision NOT NULL,
  priority text NOT NULL,
  labels text[] NOT NULL,
  assignee_user_id integer,
  assignee_agent_id text,
  reporter_user_id integer,
  watcher_user_ids integer[] NOT NULL,
  parent_id uuid,
  description_excerpt text,
  due_at timestamp with time zone,
  start_at timestamp with time zone,
  estimate_points double precision,
  estimate_minutes integer,
  time_spent_minutes integer NOT NULL,
  agent_context jsonb NOT NULL,
  environment_id uuid,
  runtime text,
  hire_id uuid,
  attempt integer NOT NULL,
  max_attempts integer NOT NULL,
  queued_at timestamp with time zone,
  claimed_at timestamp with time zone,
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  last_heartbeat_at timestamp with time zone,
  progress_percent double precision,
  branch text,
  base_branch text,
  commit_sha text,
  pr_number integer,
  pr_url text,
  pr_state text,
  checks_state text,
  review_state text,
  merged_at timestamp with time zone,
  deploy_url text,
  cost_usd double precision NOT NULL,
  tokens_in bigint NOT NULL,
  tokens_out bigint NOT NULL,
  error_code text,
  error_message text,
  comment_count integer NOT NULL,
  attachment_count integer NOT NULL,
  checklist_done integer NOT NULL,
  checklist_total integer NOT NULL,
  source text,
  external_url text,
  archived boolean NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  version integer NOT NULL,
  guest_written text[] DEFAULT '{}'::text[],
  status_of_build uuid,
  CONSTRAINT cards_pkey PRIMARY KEY (card_id),
  CONSTRAINT cards_number_unique UNIQUE (board_id, number),
  CONSTRAINT cards_assignee_user_id_fkey FOREIGN KEY (assignee_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT cards_board_id_fkey FOREIGN KEY (board_id) REFERENCES boards(board_id) ON DELETE CASCADE,
  CONSTRAINT cards_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT cards_column_exists FOREIGN KEY (column_id) REFERENCES board_columns(column_id),
  CONSTRAINT cards_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES cards(card_id) ON DELETE SET NULL,
  CONSTRAINT cards_reporter_user_id_fkey FOREIGN KEY (reporter_user_id) REFERENCES users(user_id) ON DELETE SET NULL
);
CREATE INDEX cards_by_address ON cards USING btree (board_id, md5(external_url)) WHERE external_url IS NOT NULL;
CREATE INDEX cards_by_assignee ON cards USING btree (assignee_user_id, card_id) WHERE assignee_user_id IS NOT NULL;
CREATE INDEX cards_by_change ON cards USING btree (brand_id, updated_at DESC, card_id);
CREATE INDEX cards_by_completion ON cards USING btree (brand_id, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX cards_by_creation ON cards USING btree (brand_id, created_at);
CREATE INDEX cards_by_due ON cards USING btree (brand_id, due_at, card_id);
CREATE INDEX cards_by_label ON cards USING gin (brand_id, labels) WHERE labels <> '{}'::text[];
CREATE INDEX cards_by_parent ON cards USING btree (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX cards_by_priority ON cards USING btree (brand_id, priority_rank(priority), card_id);
CREATE INDEX cards_by_reporter ON cards USING btree (reporter_user_id, card_id) WHERE reporter_user_id IS NOT NULL;
CREATE INDEX cards_by_title ON cards USING gin (brand_id, title gin_trgm_ops);
CREATE INDEX cards_by_title_order ON cards USING btree (brand_id, lower(title), card_id);
CREATE INDEX cards_finished_by_agent ON cards USING btree (brand_id, assignee_agent_id, updated_at, card_id) WHERE status = 'done'::text AND assignee_agent_id IS NOT NULL;
CREATE INDEX cards_in_column ON cards USING btree (column_id, "position", card_id);
CREATE INDEX cards_in_column_by_change ON cards USING btree (column_id, updated_at DESC, card_id);
CREATE INDEX cards_of_agent ON cards USING btree (brand_id, assignee_agent_id, updated_at DESC, card_id) WHERE assignee_agent_id IS NOT NULL;
CREATE INDEX cards_of_assignee ON cards USING btree (brand_id, assignee_user_id, updated_at DESC, card_id) WHERE assignee_user_id IS NOT NULL;
CREATE TRIGGER cards_added AFTER INSERT ON cards REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_added_cards();
CREATE TRIGGER cards_changed AFTER UPDATE ON cards REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tally_changed_cards();
CREATE TRIGGER cards_removed AFTER DELETE ON cards REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_removed_cards();
CREATE TRIGGER cards_words_added AFTER INSERT ON cards FOR EACH ROW WHEN (COALESCE(new.description_excerpt, ''::text) = ''::text) EXECUTE FUNCTION note_card_words();
CREATE TRIGGER cards_words_changed AFTER UPDATE ON cards FOR EACH ROW WHEN (old.title IS DISTINCT FROM new.title) EXECUTE FUNCTION note_card_words();

CREATE TABLE catalog_profiles (
  profile_id uuid NOT NULL,
  name text NOT NULL,
  description text DEFAULT ''::text NOT NULL,
  published boolean DEFAULT true NOT NULL,
  builder boolean DEFAULT false NOT NULL,
  template jsonb,
  repository jsonb,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  price_usd numeric(12,2),
  CONSTRAINT catalog_profiles_pkey PRIMARY KEY (profile_id),
  CONSTRAINT catalog_price_not_negative CHECK (price_usd >= 0::numeric)
);
CREATE INDEX catalog_profiles_published ON catalog_profiles USING btree (name, profile_id) WHERE published;

CREATE TABLE code_deploy_keys (
  brand_id integer NOT NULL,
  public_key text NOT NULL,
  private_key text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT code_deploy_keys_pkey PRIMARY KEY (brand_id),
  CONSTRAINT code_deploy_keys_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);

CREATE TABLE code_edges (
  project_id uuid NOT NULL,
  file_no integer NOT NULL,
  packed bytea NOT NULL,
  CONSTRAINT code_edges_pkey PRIMARY KEY (project_id, file_no),
  CONSTRAINT code_edges_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);

CREATE TABLE code_facts (
  project_id uuid NOT NULL,
  fact_key text NOT NULL,
  extractor integer NOT NULL,
  facts text NOT NULL,
  CONSTRAINT code_facts_pkey PRIMARY KEY (project_id, fact_key),
  CONSTRAINT code_facts_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);

CREATE TABLE code_host_keys (
  brand_id integer NOT NULL,
  host text NOT NULL,
  host_key text NOT NULL,
  pinned_at timestamp with time zone NOT NULL,
  CONSTRAINT code_host_keys_pkey PRIMARY KEY (brand_id, host),
  CONSTRAINT code_host_keys_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);

CREATE TABLE code_indexes (
  index_id uuid NOT NULL,
  project_id uuid NOT NULL,
  status text NOT NULL,
  commit_id text,
  files integer DEFAULT 0 NOT NULL,
  nodes integer DEFAULT 0 NOT NULL,
  edges integer DEFAULT 0 NOT NULL,
  lessons integer DEFAULT 0 NOT NULL,
  warnings jsonb DEFAULT '[]'::jsonb NOT NULL,
  progress jsonb,
  error text,
  queued_at timestamp with time zone NOT NULL,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  truncated boolean DEFAULT false NOT NULL,
  CONSTRAINT code_indexes_pkey PRIMARY KEY (index_id),
  CONSTRAINT code_indexes_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  CONSTRAINT code_indexes_status CHECK (status = ANY (ARRAY['queued'::text, 'running'::text, 'ready'::text, 'failed'::text]))
);
CREATE UNIQUE INDEX code_indexes_one_queued ON code_indexes USING btree (project_id) WHERE status = 'queued'::text;
CREATE INDEX code_indexes_open ON code_indexes USING btree (project_id) WHERE status = ANY (ARRAY['queued'::text, 'running'::text]);
CREATE INDEX code_indexes_project ON code_indexes USING btree (project_id, queued_at DESC, index_id DESC);

CREATE TABLE code_nodes (
  project_id uuid NOT NULL,
  node_no integer NOT NULL,
  node_id uuid NOT NULL,
  kind text NOT NULL,
  path text COLLATE "C" NOT NULL,
  symbol text,
  parent_no integer,
  live boolean NOT NULL,
  blob_id text,
  symbol_kind text,
  body_hash text,
  masked_hash text,
  removed_commit text,
  removed_step bigint,
  CONSTRAINT code_nodes_pkey PRIMARY KEY (project_id, node_no)
);
CREATE UNIQUE INDEX code_nodes_id ON code_nodes USING btree (node_id);
CREATE INDEX code_nodes_live_path ON code_nodes USING btree (project_id, path) WHERE live;

CREATE TABLE code_project_credentials (
  project_id uuid NOT NULL,
  kind text NOT NULL,
  public_key text,
  private_key text,
  former_public_key text,
  former_private_key text,
  username text,
  sealed_token text,
  host text,
  created_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT code_project_credentials_pkey PRIMARY KEY (project_id),
  CONSTRAINT code_project_credentials_project FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  CONSTRAINT code_project_credentials_kind CHECK (kind = ANY (ARRAY['deploy_key'::text, 'token'::text])),
  CONSTRAINT code_project_credentials_whole CHECK ((kind = 'deploy_key'::text) = (public_key IS NOT NULL AND private_key IS NOT NULL) AND (kind = 'token'::text) = (username IS NOT NULL AND sealed_token IS NOT NULL AND host IS NOT NULL))
);

CREATE TABLE coder_profile_changes (
  brand_id integer NOT NULL,
  id integer NOT NULL,
  profile_key text NOT NULL,
  field text NOT NULL,
  old_value text,
  new_value text,
  actor_user_id integer NOT NULL,
  actor_role text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT coder_profile_changes_pkey PRIMARY KEY (brand_id, id),
  CONSTRAINT coder_profile_changes_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT coder_profile_changes_field_known CHECK (field = ANY (ARRAY['model'::text, 'effort'::text, 'limit_value'::text])),
  CONSTRAINT coder_profile_changes_role_known CHECK (actor_role = ANY (ARRAY['brand_admin'::text, 'platform_admin'::text]))
);
CREATE INDEX coder_profile_changes_by_profile ON coder_profile_changes USING btree (brand_id, profile_key, id DESC);

CREATE TABLE coder_profile_overrides (
  brand_id integer NOT NULL,
  profile_key text NOT NULL,
  field text NOT NULL,
  value text NOT NULL,
  CONSTRAINT coder_profile_overrides_pkey PRIMARY KEY (brand_id, profile_key, field),
  CONSTRAINT coder_profile_overrides_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT coder_profile_overrides_field_known CHECK (field = ANY (ARRAY['model'::text, 'effort'::text, 'limit_value'::text]))
);
CREATE TRIGGER coder_profile_overrides_settings AFTER INSERT OR DELETE OR UPDATE ON coder_profile_overrides FOR EACH ROW EXECUTE FUNCTION tell_changed_settings();

CREATE TABLE desk_coders (
  desk_id uuid NOT NULL,
  name text NOT NULL,
  brand_id integer NOT NULL,
  version text,
  reported_at timestamp with time zone NOT NULL,
  CONSTRAINT desk_coders_pkey PRIMARY KEY (desk_id, name),
  CONSTRAINT desk_coders_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT desk_coders_desk_id_fkey FOREIGN KEY (desk_id) REFERENCES desks(desk_id) ON DELETE CASCADE
);
CREATE INDEX desk_coders_by_brand ON desk_coders USING btree (brand_id, name, reported_at);

CREATE TABLE desk_events (
  event_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  desk_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  kind text NOT NULL,
  from_status text,
  to_status text,
  reason text,
  probes jsonb DEFAULT '[]'::jsonb NOT NULL,
  CONSTRAINT desk_events_pkey PRIMARY KEY (event_id),
  CONSTRAINT desk_events_desk_id_fkey FOREIGN KEY (desk_id) REFERENCES desks(desk_id) ON DELETE CASCADE
);
CREATE INDEX desk_events_by_desk ON desk_events USING btree (desk_id, event_id DESC);

CREATE TABLE desk_poll_nodes (
  node_id text NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT desk_poll_nodes_pkey PRIMARY KEY (node_id)
);

CREATE TABLE desks (
  desk_id uuid NOT NULL,
  brand_id integer NOT NULL,
  short_id text NOT NULL,
  name text NOT NULL,
  runtime text NOT NULL,
  region text,
  description text,
  vps_provider text,
  workspace_path text NOT NULL,
  repository jsonb,
  image_key text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  token_hash text,
  status text NOT NULL,
  hello_at timestamp with time zone,
  hostname text,
  installation_id text,
  installer_step text,
  installer_exit_code integer,
  installer_message text,
  mesh_registered_at timestamp with time zone,
  mesh_public_key text,
  mesh_address inet,
  sidecar_url text,
  sidecar_registered_at timestamp with time zone,
  check_epoch integer DEFAULT 0 NOT NULL,
  checked_at timestamp with time zone,
  misses smallint DEFAULT 0 NOT NULL,
  missed_probes jsonb DEFAULT '[]'::jsonb NOT NULL,
  misrouted boolean DEFAULT false NOT NULL,
  first_answered_at timestamp with time zone,
  resumed_at timestamp with time zone,
  last_contact_at timestamp with time zone,
  sidecar_version text,
  sidecar_code_digest text,
  last_upgrade_at timestamp with time zone,
  building boolean DEFAULT false NOT NULL,
  pending_sync_count integer DEFAULT 0 NOT NULL,
  credentials jsonb DEFAULT '[]'::jsonb NOT NULL,
  poll_slot smallint NOT NULL,
  update_sequence bigint DEFAULT 0 NOT NULL,
  isolation text,
  token_lookup text,
  key_sealed text,
  only_project_id uuid,
  ordered_by integer,
  CONSTRAINT desks_pkey PRIMARY KEY (desk_id),
  CONSTRAINT desks_mesh_address_unique UNIQUE (mesh_address),
  CONSTRAINT desks_mesh_key_unique UNIQUE (mesh_public_key),
  CONSTRAINT desks_one_per_installation UNIQUE (brand_id, installation_id),
  CONSTRAINT desks_token_lookup_unique UNIQUE (token_lookup),
  CONSTRAINT desks_token_unique UNIQUE (token_hash),
  CONSTRAINT desks_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT desks_ordered_by_fkey FOREIGN KEY (ordered_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT desks_poll_slot_range CHECK (poll_slot >= 0 AND poll_slot <= 9999),
  CONSTRAINT desks_runtime_known CHECK (runtime = ANY (ARRAY['claude_code'::text, 'codex'::text, 'custom'::text])),
  CONSTRAINT desks_status_known CHECK (status = ANY (ARRAY['provisioned'::text, 'active'::text, 'unreachable'::text, 'suspended'::text])),
  CONSTRAINT desks_token_known CHECK (token_hash IS NOT NULL OR token_lookup IS NOT NULL AND key_sealed IS NOT NULL)
);
CREATE INDEX desks_by_brand ON desks USING btree (brand_id, created_at, desk_id);
CREATE INDEX desks_by_installation ON desks USING btree (installation_id) WHERE installation_id IS NOT NULL;
CREATE INDEX desks_by_name ON desks USING btree (brand_id, name, desk_id);
CREATE INDEX desks_by_poll_slot ON desks USING btree (poll_slot) WHERE sidecar_url IS NOT NULL AND status <> 'suspended'::text;
CREATE INDEX desks_old_token ON desks USING btree (desk_id) WHERE token_hash IS NOT NULL;
CREATE TRIGGER desks_settings AFTER INSERT OR DELETE ON desks FOR EACH ROW EXECUTE FUNCTION tell_changed_settings();
CREATE TRIGGER desks_shown AFTER UPDATE OF name, runtime, status, repository, hello_at, installer_exit_code, installer_message, mesh_registered_at, sidecar_url, first_answered_at, misrouted, misses, last_contact_at ON desks FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name OR old.runtime IS DISTINCT FROM new.runtime OR old.status IS DISTINCT FROM new.status OR old.repository IS DISTINCT FROM new.repository OR old.installer_exit_code IS DISTINCT FROM new.installer_exit_code OR old.installer_message IS DISTINCT FROM new.installer_message OR old.sidecar_url IS DISTINCT FROM new.sidecar_url OR old.misrouted IS DISTINCT FROM new.misrouted OR LEAST(old.misses::integer, 3) IS DISTINCT FROM LEAST(new.misses::integer, 3) OR (old.hello_at IS NULL) IS DISTINCT FROM (new.hello_at IS NULL) OR (old.mesh_registered_at IS NULL) IS DISTINCT FROM (new.mesh_registered_at IS NULL) OR (old.first_answered_at IS NULL) IS DISTINCT FROM (new.first_answered_at IS NULL) OR COALESCE(old.last_contact_at, old.created_at) < (new.last_contact_at - '1 day'::interval)) EXECUTE FUNCTION tell_changed_settings();

CREATE TABLE docs_spaces (
  space_id uuid NOT NULL,
  brand_id integer NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT docs_spaces_pkey PRIMARY KEY (space_id),
  CONSTRAINT docs_spaces_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX docs_spaces_by_brand ON docs_spaces USING btree (brand_id, created_at, space_id);

CREATE TABLE erasures (
  erasure_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  subject_id integer NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  things jsonb,
  attempts integer DEFAULT 0 NOT NULL,
  finished_at timestamp with time zone,
  CONSTRAINT erasures_pkey PRIMARY KEY (erasure_id),
  CONSTRAINT erasures_once UNIQUE (kind, subject_id),
  CONSTRAINT erasures_kind_known CHECK (kind = ANY (ARRAY['person'::text, 'workspace'::text]))
);
CREATE INDEX erasures_open ON erasures USING btree (erasure_id) WHERE finished_at IS NULL;

CREATE TABLE feature_choices (
  brand_id integer NOT NULL,
  feature text NOT NULL,
  is_on boolean NOT NULL,
  changed_by integer NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  changed_by_agent text,
  CONSTRAINT feature_choices_pkey PRIMARY KEY (brand_id, feature),
  CONSTRAINT feature_choices_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT feature_choices_changed_by_fkey FOREIGN KEY (changed_by) REFERENCES users(user_id),
  CONSTRAINT feature_choices_feature_known CHECK (feature = ANY (ARRAY['skills'::text, 'feed'::text, 'machines'::text, 'crm'::text]))
);
CREATE TRIGGER feature_choices_settings AFTER INSERT OR DELETE OR UPDATE ON feature_choices FOR EACH ROW EXECUTE FUNCTION tell_changed_settings();

CREATE TABLE feed_sources (
  feed_source_id uuid NOT NULL,
  brand_id integer NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT feed_sources_pkey PRIMARY KEY (feed_source_id),
  CONSTRAINT feed_sources_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX feed_sources_by_brand ON feed_sources USING btree (brand_id);
CREATE TRIGGER feed_sources_settings AFTER INSERT OR DELETE ON feed_sources FOR EACH ROW EXECUTE FUNCTION tell_changed_settings();

CREATE TABLE forge_deliveries (
  project_id uuid NOT NULL,
  delivery_id text NOT NULL,
  brand_id integer NOT NULL,
  received_at timestamp with time zone NOT NULL,
  about jsonb,
  CONSTRAINT forge_deliveries_pkey PRIMARY KEY (project_id, delivery_id),
  CONSTRAINT forge_deliveries_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT forge_deliveries_project FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);
CREATE INDEX forge_deliveries_age ON forge_deliveries USING btree (received_at);
CREATE INDEX forge_deliveries_of_brand ON forge_deliveries USING btree (brand_id, received_at);
CREATE INDEX forge_deliveries_open ON forge_deliveries USING btree (received_at) WHERE about IS NOT NULL;

CREATE TABLE forge_issues (
  project_id uuid NOT NULL,
  repository text NOT NULL,
  number integer NOT NULL,
  brand_id integer NOT NULL,
  card_id uuid,
  url text NOT NULL,
  title text NOT NULL,
  commented_at timestamp with time zone,
  telling_until timestamp with time zone,
  archived_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT forge_issues_pkey PRIMARY KEY (project_id, repository, number),
  CONSTRAINT forge_issues_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT forge_issues_card FOREIGN KEY (card_id) REFERENCES cards(card_id) ON DELETE SET NULL,
  CONSTRAINT forge_issues_project FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);
CREATE INDEX forge_issues_of_brand ON forge_issues USING btree (brand_id, project_id);
CREATE INDEX forge_issues_of_card ON forge_issues USING btree (card_id) WHERE card_id IS NOT NULL;
CREATE INDEX forge_issues_to_tell ON forge_issues USING btree (created_at) WHERE commented_at IS NULL;

CREATE TABLE forge_reworks (
  project_id uuid NOT NULL,
  head_sha text NOT NULL,
  brand_id integer NOT NULL,
  because text NOT NULL,
  build_id uuid,
  at timestamp with time zone NOT NULL,
  CONSTRAINT forge_reworks_pkey PRIMARY KEY (project_id, head_sha),
  CONSTRAINT forge_reworks_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT forge_reworks_project FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);
CREATE INDEX forge_reworks_of_brand ON forge_reworks USING btree (brand_id, project_id);

CREATE TABLE guest_access (
  brand_id integer NOT NULL,
  user_id integer NOT NULL,
  kind text NOT NULL,
  resource_id uuid NOT NULL,
  role text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT guest_access_pkey PRIMARY KEY (kind, resource_id, user_id),
  CONSTRAINT guest_access_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT guest_access_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE,
  CONSTRAINT guest_access_kind_known CHECK (kind = ANY (ARRAY['board'::text, 'docs'::text])),
  CONSTRAINT guest_access_role_known CHECK (role = ANY (ARRAY['viewer'::text, 'commenter'::text, 'editor'::text]))
);
CREATE INDEX guest_access_by_brand ON guest_access USING btree (brand_id, user_id);
CREATE INDEX guest_access_by_user ON guest_access USING btree (user_id, created_at);

CREATE TABLE hire_packages (
  hire_id uuid NOT NULL,
  brand_id integer NOT NULL,
  package_name text NOT NULL,
  CONSTRAINT hire_packages_pkey PRIMARY KEY (hire_id, package_name),
  CONSTRAINT hire_packages_hire_id_fkey FOREIGN KEY (hire_id) REFERENCES hires(hire_id) ON DELETE CASCADE,
  CONSTRAINT hire_packages_install FOREIGN KEY (brand_id, package_name) REFERENCES installed_packages(brand_id, name) ON DELETE CASCADE
);
CREATE INDEX hire_packages_by_install ON hire_packages USING btree (brand_id, package_name);

CREATE TABLE hires (
  hire_id uuid NOT NULL,
  brand_id integer NOT NULL,
  profile_id uuid NOT NULL,
  status text NOT NULL,
  employee_name text NOT NULL,
  builder boolean NOT NULL,
  template jsonb NOT NULL,
  repository jsonb,
  agent_id text NOT NULL,
  workstation_id uuid,
  comp_reason text,
  hired_by integer,
  granted_by text,
  created_at timestamp with time zone NOT NULL,
  built_at timestamp with time zone,
  attempts integer DEFAULT 0 NOT NULL,
  failed_step text,
  error text,
  cancel_at_period_end boolean DEFAULT false NOT NULL,
  last_period_end timestamp with time zone,
  effective_at timestamp with time zone,
  disabled_at timestamp with time zone,
  workspace_removed_at timestamp with time zone,
  number integer NOT NULL,
  CONSTRAINT hires_pkey PRIMARY KEY (hire_id),
  CONSTRAINT hires_agent_unique UNIQUE (agent_id),
  CONSTRAINT hires_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT hires_hired_by_fkey FOREIGN KEY (hired_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT hires_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES catalog_profiles(profile_id),
  CONSTRAINT hires_active_is_built CHECK (status <> 'active'::text OR built_at IS NOT NULL),
  CONSTRAINT hires_canceled_has_end CHECK ((status = 'canceled'::text) = (effective_at IS NOT NULL AND last_period_end IS NOT NULL)),
  CONSTRAINT hires_disabled_is_canceled CHECK (disabled_at IS NULL OR status = 'canceled'::text),
  CONSTRAINT hires_status_known CHECK (status = ANY (ARRAY['provisioning'::text, 'active'::text, 'canceled'::text]))
);
CREATE INDEX hires_by_brand ON hires USING btree (brand_id, created_at DESC, hire_id DESC);
CREATE INDEX hires_by_granter ON hires USING btree (granted_by, created_at DESC) WHERE granted_by IS NOT NULL;
CREATE UNIQUE INDEX hires_by_number ON hires USING btree (brand_id, number);
CREATE UNIQUE INDEX hires_one_live ON hires USING btree (brand_id, profile_id) WHERE status = ANY (ARRAY['provisioning'::text, 'active'::text]);
CREATE INDEX hires_to_build ON hires USING btree (hire_id) WHERE status = 'provisioning'::text;
CREATE INDEX hires_to_clear ON hires USING btree (hire_id) WHERE disabled_at IS NOT NULL AND workspace_removed_at IS NULL;
CREATE INDEX hires_to_disable ON hires USING btree (effective_at) WHERE status = 'canceled'::text AND disabled_at IS NULL;
CREATE TRIGGER hires_numbered BEFORE INSERT ON hires FOR EACH ROW EXECUTE FUNCTION number_hire();

CREATE TABLE idempotency_keys (
  brand_id integer NOT NULL,
  user_id integer NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  answer bytea,
  content_type text,
  status smallint NOT NULL,
  made_id text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (brand_id, user_id, key),
  CONSTRAINT idempotency_keys_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT idempotency_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys USING btree (created_at);

CREATE TABLE imported_cards (
  brand_id integer NOT NULL,
  board_id uuid NOT NULL,
  origin text NOT NULL,
  card_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT imported_cards_pkey PRIMARY KEY (brand_id, board_id, origin),
  CONSTRAINT imported_cards_board FOREIGN KEY (board_id) REFERENCES boards(board_id) ON DELETE CASCADE,
  CONSTRAINT imported_cards_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX imported_cards_of_board ON imported_cards USING btree (board_id);

CREATE TABLE inbox_items (
  item_id uuid NOT NULL,
  brand_id integer NOT NULL,
  user_id integer NOT NULL,
  kind text NOT NULL,
  board_id uuid NOT NULL,
  task_id uuid NOT NULL,
  build_id uuid,
  actor_user_id integer,
  excerpt text,
  created_at timestamp with time zone NOT NULL,
  read_at timestamp with time zone,
  done_at timestamp with time zone,
  actor_agent_id text,
  snoozed_until timestamp with time zone,
  CONSTRAINT inbox_items_pkey PRIMARY KEY (item_id),
  CONSTRAINT inbox_items_actor FOREIGN KEY (actor_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT inbox_items_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT inbox_items_card FOREIGN KEY (task_id) REFERENCES cards(card_id) ON DELETE CASCADE,
  CONSTRAINT inbox_items_user FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
) WITH (fillfactor=40);
CREATE INDEX inbox_items_by_actor ON inbox_items USING btree (actor_user_id) WHERE actor_user_id IS NOT NULL;
CREATE INDEX inbox_items_by_card ON inbox_items USING btree (task_id);
CREATE INDEX inbox_items_by_user ON inbox_items USING btree (user_id, item_id);
CREATE INDEX inbox_items_created ON inbox_items USING btree (created_at);
CREATE INDEX inbox_items_of_person ON inbox_items USING btree (brand_id, user_id, created_at DESC, item_id);
CREATE UNIQUE INDEX inbox_items_once_a_build ON inbox_items USING btree (build_id, user_id, kind) WHERE build_id IS NOT NULL AND (kind = ANY (ARRAY['build_failed'::text, 'review_asked'::text]));

CREATE TABLE installed_packages (
  package_id uuid NOT NULL,
  brand_id integer NOT NULL,
  name text NOT NULL,
  version text NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  installed_at timestamp with time zone NOT NULL,
  brought_by_hire boolean DEFAULT false NOT NULL,
  CONSTRAINT installed_packages_pkey PRIMARY KEY (package_id),
  CONSTRAINT installed_packages_name_unique UNIQUE (brand_id, name),
  CONSTRAINT installed_packages_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE TRIGGER installed_packages_settings AFTER INSERT OR DELETE ON installed_packages FOR EACH ROW EXECUTE FUNCTION tell_changed_settings();

CREATE TABLE invitation_grants (
  invitation_id integer NOT NULL,
  brand_id integer NOT NULL,
  kind text NOT NULL,
  resource_id uuid NOT NULL,
  role text NOT NULL,
  token_hash text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT invitation_grants_pkey PRIMARY KEY (invitation_id, kind, resource_id),
  CONSTRAINT invitation_grants_token_unique UNIQUE (token_hash),
  CONSTRAINT invitation_grants_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT invitation_grants_invitation FOREIGN KEY (invitation_id) REFERENCES invitations(id) ON DELETE CASCADE,
  CONSTRAINT invitation_grants_kind_known CHECK (kind = ANY (ARRAY['board'::text, 'docs'::text])),
  CONSTRAINT invitation_grants_role_known CHECK (role = ANY (ARRAY['viewer'::text, 'commenter'::text, 'editor'::text]))
);
CREATE INDEX invitation_grants_by_brand ON invitation_grants USING btree (brand_id);
CREATE INDEX invitation_grants_by_place ON invitation_grants USING btree (kind, resource_id);

CREATE TABLE invitations (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  brand_id integer NOT NULL,
  email citext NOT NULL,
  role text DEFAULT 'member'::text NOT NULL,
  token_hash text NOT NULL,
  status text NOT NULL,
  invited_by integer,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  accepted_at timestamp with time zone,
  account_name text,
  CONSTRAINT invitations_pkey PRIMARY KEY (id),
  CONSTRAINT invitations_token_unique UNIQUE (token_hash),
  CONSTRAINT invitations_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT invitations_role_known CHECK (role = ANY (ARRAY['admin'::text, 'member'::text, 'guest'::text])),
  CONSTRAINT invitations_status_known CHECK (status = ANY (ARRAY['pending'::text, 'accepted'::text, 'revoked'::text, 'expired'::text]))
);
CREATE INDEX invitations_by_account ON invitations USING btree (account_name);
CREATE INDEX invitations_by_brand ON invitations USING btree (brand_id, id);
CREATE UNIQUE INDEX invitations_one_pending ON invitations USING btree (brand_id, email) WHERE status = 'pending'::text;
CREATE UNIQUE INDEX invitations_one_pending_account ON invitations USING btree (brand_id, account_name) WHERE status = 'pending'::text;
CREATE INDEX invitations_without_account_name ON invitations USING btree (id) WHERE account_name IS NULL;

CREATE TABLE job_runs (
  name text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone NOT NULL,
  error text,
  CONSTRAINT job_runs_pkey PRIMARY KEY (name)
);

CREATE TABLE leftover_files (
  file_key text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT leftover_files_pkey PRIMARY KEY (file_key)
);
CREATE INDEX leftover_files_by_due ON leftover_files USING btree (due_at);

CREATE TABLE lesson_anchors (
  lesson_no bigint NOT NULL,
  "position" integer NOT NULL,
  brand_id integer NOT NULL,
  project_id uuid NOT NULL,
  written text NOT NULL,
  path text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  node_no integer,
  CONSTRAINT lesson_anchors_pkey PRIMARY KEY (lesson_no, "position"),
  CONSTRAINT lesson_anchors_lesson_no_fkey FOREIGN KEY (lesson_no) REFERENCES lessons(lesson_no) ON DELETE CASCADE,
  CONSTRAINT lesson_anchors_kind CHECK (kind = ANY (ARRAY['file'::text, 'symbol'::text, 'folder'::text]))
);
CREATE INDEX lesson_anchors_path ON lesson_anchors USING btree (brand_id, path);
CREATE INDEX lesson_anchors_project ON lesson_anchors USING btree (project_id, node_no);

CREATE TABLE lesson_moves (
  lesson_no bigint NOT NULL,
  "position" integer NOT NULL,
  from_path text NOT NULL,
  to_path text NOT NULL,
  commit_id text NOT NULL,
  CONSTRAINT lesson_moves_pkey PRIMARY KEY (lesson_no, "position"),
  CONSTRAINT lesson_moves_lesson_no_fkey FOREIGN KEY (lesson_no) REFERENCES lessons(lesson_no) ON DELETE CASCADE
);

CREATE TABLE lesson_vectors (
  brand_id integer NOT NULL,
  model text NOT NULL,
  text_hash text NOT NULL,
  dimensions integer NOT NULL,
  vector bytea NOT NULL,
  CONSTRAINT lesson_vectors_pkey PRIMARY KEY (brand_id, model, text_hash),
  CONSTRAINT lesson_vectors_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);

CREATE TABLE lessons (
  lesson_no bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  brand_id integer NOT NULL,
  project_id uuid NOT NULL,
  lesson_id text COLLATE "C" NOT NULL,
  path text NOT NULL,
  origin text NOT NULL,
  type text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  pinned boolean NOT NULL,
  author text,
  card text,
  scope text,
  status text NOT NULL,
  superseded_by text,
  content_hash text NOT NULL,
  text_hashes text[] NOT NULL,
  stale_commit text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT lessons_pkey PRIMARY KEY (lesson_no),
  CONSTRAINT lessons_id_per_project UNIQUE (project_id, lesson_id),
  CONSTRAINT lessons_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT lessons_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  CONSTRAINT lessons_origin CHECK (origin = ANY (ARRAY['repository'::text, 'pushed'::text])),
  CONSTRAINT lessons_status CHECK (status = ANY (ARRAY['live'::text, 'retired'::text, 'superseded'::text]))
);
CREATE INDEX lessons_brand ON lessons USING btree (brand_id, lesson_id);
CREATE INDEX lessons_by_word ON lessons USING gin (search_words(brand_id, title, body)) WITH (gin_pending_list_limit='128');
CREATE INDEX lessons_stale ON lessons USING btree (brand_id, lesson_id) WHERE stale_commit IS NOT NULL;

CREATE UNLOGGED TABLE listening_nodes (
  node_id uuid NOT NULL,
  beat bigint NOT NULL,
  CONSTRAINT listening_nodes_pkey PRIMARY KEY (node_id)
);

CREATE TABLE machine_updates (
  update_id uuid NOT NULL,
  desk_id uuid NOT NULL,
  brand_id integer NOT NULL,
  status text NOT NULL,
  requested_by integer NOT NULL,
  requested_by_name text NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  wait_for_idle boolean DEFAULT true NOT NULL,
  error text,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  from_version text,
  from_code_digest text,
  to_version text,
  to_code_digest text,
  requested_by_agent text,
  CONSTRAINT machine_updates_pkey PRIMARY KEY (update_id),
  CONSTRAINT machine_updates_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT machine_updates_desk_id_fkey FOREIGN KEY (desk_id) REFERENCES desks(desk_id) ON DELETE CASCADE,
  CONSTRAINT machine_updates_status_known CHECK (status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text]))
);
CREATE INDEX machine_updates_by_brand ON machine_updates USING btree (brand_id);
CREATE INDEX machine_updates_by_desk ON machine_updates USING btree (desk_id, requested_at DESC, update_id DESC);
CREATE INDEX machine_updates_by_requester ON machine_updates USING btree (requested_by);
CREATE UNIQUE INDEX machine_updates_one_queued ON machine_updates USING btree (desk_id) WHERE status = 'queued'::text;
CREATE INDEX machine_updates_open ON machine_updates USING btree (requested_at, update_id) WHERE status = ANY (ARRAY['queued'::text, 'running'::text]);

CREATE TABLE mail_names (
  name text NOT NULL,
  user_id integer NOT NULL,
  current boolean NOT NULL,
  forwards_until timestamp with time zone,
  CONSTRAINT mail_names_pkey PRIMARY KEY (name),
  CONSTRAINT mail_names_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE,
  CONSTRAINT mail_names_forward_has_end CHECK (current = (forwards_until IS NULL))
);
CREATE INDEX mail_names_by_user ON mail_names USING btree (user_id);
CREATE UNIQUE INDEX mail_names_one_current ON mail_names USING btree (user_id) WHERE current;

CREATE TABLE memberships (
  brand_id integer NOT NULL,
  user_id integer NOT NULL,
  role text NOT NULL,
  "position" text,
  photo_key text,
  active boolean DEFAULT true NOT NULL,
  joined_at timestamp with time zone NOT NULL,
  CONSTRAINT memberships_pkey PRIMARY KEY (brand_id, user_id),
  CONSTRAINT memberships_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE,
  CONSTRAINT memberships_role_known CHECK (role = ANY (ARRAY['admin'::text, 'member'::text]))
);
CREATE INDEX memberships_by_person ON memberships USING btree (user_id);
CREATE INDEX memberships_by_user ON memberships USING btree (user_id) WHERE active;
CREATE TRIGGER memberships_settings AFTER INSERT OR DELETE OR UPDATE ON memberships FOR EACH ROW EXECUTE FUNCTION tell_changed_settings();

CREATE TABLE memories (
  memory_id uuid NOT NULL,
  brand_id integer NOT NULL,
  agent_id text NOT NULL,
  kind text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  description text,
  tags text[] DEFAULT '{}'::text[] NOT NULL,
  set_confidence double precision NOT NULL,
  importance text NOT NULL,
  status text DEFAULT 'active'::text NOT NULL,
  excerpt text DEFAULT ''::text NOT NULL,
  source_id uuid,
  conversation_id uuid,
  extractor text,
  merged_into uuid,
  merged_from uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  consolidated boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  last_verified_at timestamp with time zone NOT NULL,
  search tsvector NOT NULL,
  words tsvector,
  text_hash bytea,
  changed_in xid8 DEFAULT pg_current_xact_id() NOT NULL,
  changed_by integer,
  from_guest boolean DEFAULT false NOT NULL,
  changed_by_agent text,
  superseded_by uuid,
  CONSTRAINT memories_pkey PRIMARY KEY (memory_id),
  CONSTRAINT memories_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id) ON DELETE CASCADE,
  CONSTRAINT memories_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT memories_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES memory_conversations(conversation_id) ON DELETE SET NULL,
  CONSTRAINT memories_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES memories(memory_id) ON DELETE SET NULL,
  CONSTRAINT memories_source_id_fkey FOREIGN KEY (source_id) REFERENCES memory_sources(source_id) ON DELETE SET NULL,
  CONSTRAINT memories_confidence_range CHECK (set_confidence >= 0::double precision AND set_confidence <= 1::double precision),
  CONSTRAINT memories_extractor_known CHECK (extractor = ANY (ARRAY['model'::text, 'rule-based'::text])),
  CONSTRAINT memories_importance_known CHECK (importance = ANY (ARRAY['low'::text, 'normal'::text, 'high'::text, 'critical'::text])),
  CONSTRAINT memories_kind_known CHECK (kind = ANY (ARRAY['decision'::text, 'learning'::text, 'pattern'::text, 'preference'::text, 'fact'::text, 'summary'::text])),
  CONSTRAINT memories_status_known CHECK (status = ANY (ARRAY['active'::text, 'archived'::text, 'merged'::text]))
);
CREATE INDEX memories_by_agent ON memories USING btree (agent_id, status);
CREATE INDEX memories_by_brand ON memories USING btree (brand_id, status);
CREATE INDEX memories_by_change ON memories USING btree (agent_id, updated_at DESC, memory_id DESC);
CREATE INDEX memories_by_conversation ON memories USING btree (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX memories_by_part ON memories USING gin (brand_id, agent_id, memory_text(title, body, description, tags) gin_trgm_ops) WITH (fastupdate='on');
CREATE INDEX memories_by_source ON memories USING btree (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX memories_by_trust ON memories USING btree (brand_id, agent_id, status, kind, importance, set_confidence, last_verified_at);
CREATE INDEX memories_by_word ON memories USING gin (search_words(brand_id, title, memory_text(''::text, body, description, tags))) WITH (gin_pending_list_limit='128');
CREATE INDEX memories_changes ON memories USING btree (agent_id, changed_in, memory_id);
CREATE INDEX memories_learnings ON memories USING btree (agent_id) WHERE kind = 'learning'::text AND status = 'active'::text AND NOT consolidated;
CREATE INDEX memories_merged_from ON memories USING gin (merged_from) WHERE merged_from <> '{}'::uuid[];
CREATE INDEX memories_merged_into ON memories USING btree (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX memories_of_text ON memories USING btree (text_hash);
CREATE INDEX memories_unindexed ON memories USING btree (memory_id) WHERE words IS NULL;
CREATE TRIGGER memories_forgotten AFTER DELETE ON memories REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory_forget_vectors();
CREATE TRIGGER memories_history_begins AFTER INSERT ON memories FOR EACH ROW EXECUTE FUNCTION memory_keep_history();
CREATE TRIGGER memories_history_goes_on AFTER UPDATE OF title, body, description, kind, tags, set_confidence, importance, status, merged_into, merged_from, last_verified_at ON memories FOR EACH ROW EXECUTE FUNCTION memory_keep_history();
CREATE TRIGGER memories_index BEFORE INSERT OR UPDATE ON memories FOR EACH ROW EXECUTE FUNCTION memory_index();
CREATE TRIGGER memories_removed AFTER DELETE ON memories REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory_remember_removals();
CREATE TRIGGER memories_rewritten AFTER UPDATE ON memories FOR EACH ROW WHEN (old.text_hash IS DISTINCT FROM new.text_hash) EXECUTE FUNCTION memory_want_vector();
CREATE TRIGGER memories_written AFTER INSERT ON memories FOR EACH ROW EXECUTE FUNCTION memory_want_vector();

CREATE TABLE memory_conversations (
  conversation_id uuid NOT NULL,
  brand_id integer NOT NULL,
  agent_id text NOT NULL,
  source_id uuid,
  source_type text NOT NULL,
  external_id text NOT NULL,
  status text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone,
  error text,
  pending jsonb DEFAULT '[]'::jsonb NOT NULL,
  received integer DEFAULT 0 NOT NULL,
  claim_id uuid,
  claimed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  from_guest boolean DEFAULT false NOT NULL,
  CONSTRAINT memory_conversations_pkey PRIMARY KEY (conversation_id),
  CONSTRAINT memory_conversations_once UNIQUE (agent_id, source_type, external_id),
  CONSTRAINT memory_conversations_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id) ON DELETE CASCADE,
  CONSTRAINT memory_conversations_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT memory_conversations_source_id_fkey FOREIGN KEY (source_id) REFERENCES memory_sources(source_id) ON DELETE SET NULL,
  CONSTRAINT memory_conversations_status_known CHECK (status = ANY (ARRAY['waiting'::text, 'processing'::text, 'done'::text, 'failed'::text]))
);
CREATE INDEX memory_conversations_by_agent ON memory_conversations USING btree (agent_id, created_at DESC, conversation_id);
CREATE INDEX memory_conversations_by_brand ON memory_conversations USING btree (brand_id, created_at DESC, conversation_id);
CREATE INDEX memory_conversations_by_source ON memory_conversations USING btree (source_id);
CREATE INDEX memory_conversations_claimed ON memory_conversations USING btree (claimed_at) WHERE status = 'processing'::text;
CREATE INDEX memory_conversations_due ON memory_conversations USING btree (next_attempt_at) WHERE status = 'waiting'::text;
CREATE INDEX memory_conversations_not_done ON memory_conversations USING btree (brand_id, status, created_at DESC, conversation_id) WHERE status <> 'done'::text;
CREATE INDEX memory_conversations_retries ON memory_conversations USING btree (next_attempt_at) WHERE status = 'waiting'::text AND attempts > 0;

CREATE TABLE memory_exports (
  agent_id text NOT NULL,
  brand_id integer NOT NULL,
  entries jsonb NOT NULL,
  digest text NOT NULL,
  exported_at timestamp with time zone NOT NULL,
  replaced_digest text,
  replaced_entries jsonb,
  CONSTRAINT memory_exports_pkey PRIMARY KEY (agent_id),
  CONSTRAINT memory_exports_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id) ON DELETE CASCADE,
  CONSTRAINT memory_exports_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT memory_exports_replaced_whole CHECK ((replaced_digest IS NULL) = (replaced_entries IS NULL))
);
CREATE INDEX memory_exports_by_brand ON memory_exports USING btree (brand_id);

CREATE TABLE memory_history (
  entry_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  brand_id integer NOT NULL,
  memory_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  action text NOT NULL,
  actor_user_id integer,
  changes jsonb DEFAULT '{}'::jsonb NOT NULL,
  actor_agent_id text,
  CONSTRAINT memory_history_pkey PRIMARY KEY (entry_id),
  CONSTRAINT memory_history_actor_user_id_fkey FOREIGN KEY (actor_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT memory_history_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT memory_history_memory_id_fkey FOREIGN KEY (memory_id) REFERENCES memories(memory_id) ON DELETE CASCADE,
  CONSTRAINT memory_history_action_known CHECK (action = ANY (ARRAY['created'::text, 'changed'::text, 'verified'::text, 'archived'::text, 'restored'::text, 'merged'::text, 'unmerged'::text]))
);
CREATE INDEX memory_history_by_actor ON memory_history USING btree (actor_user_id, entry_id) WHERE actor_user_id IS NOT NULL;
CREATE INDEX memory_history_by_brand ON memory_history USING btree (brand_id);
CREATE INDEX memory_history_by_memory ON memory_history USING btree (memory_id, entry_id);

CREATE TABLE memory_removals (
  agent_id text NOT NULL,
  brand_id integer NOT NULL,
  memory_id uuid NOT NULL,
  removed_in xid8 DEFAULT pg_current_xact_id() NOT NULL
);
CREATE INDEX memory_removals_by_age ON memory_removals USING btree (removed_in);
CREATE INDEX memory_removals_by_agent ON memory_removals USING btree (agent_id, removed_in);
CREATE INDEX memory_removals_by_brand ON memory_removals USING btree (brand_id);

CREATE TABLE memory_source_files (
  agent_id text NOT NULL,
  source_type text NOT NULL,
  path text NOT NULL,
  read_bytes bigint NOT NULL,
  head_bytes integer NOT NULL,
  head_hash text NOT NULL,
  CONSTRAINT memory_source_files_pkey PRIMARY KEY (agent_id, source_type, path),
  CONSTRAINT memory_source_files_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id) ON DELETE CASCADE
);

CREATE TABLE memory_sources (
  source_id uuid NOT NULL,
  brand_id integer NOT NULL,
  agent_id text NOT NULL,
  source_type text NOT NULL,
  config jsonb DEFAULT '{}'::jsonb NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  read_until timestamp with time zone,
  last_picked_up_at timestamp with time zone,
  error text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT memory_sources_pkey PRIMARY KEY (source_id),
  CONSTRAINT memory_sources_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id) ON DELETE CASCADE,
  CONSTRAINT memory_sources_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT memory_sources_type_known CHECK (source_type = ANY (ARRAY['openclaw'::text, 'agentboard'::text, 'claude_code'::text, 'codex'::text]))
);
CREATE INDEX memory_sources_by_agent ON memory_sources USING btree (agent_id);
CREATE INDEX memory_sources_by_brand ON memory_sources USING btree (brand_id, created_at, source_id);

CREATE TABLE memory_unembedded (
  memory_id uuid NOT NULL,
  brand_id integer NOT NULL,
  text_hash bytea NOT NULL,
  claimed_at timestamp with time zone,
  CONSTRAINT memory_unembedded_pkey PRIMARY KEY (memory_id)
);
CREATE INDEX memory_unembedded_by_brand ON memory_unembedded USING btree (brand_id, memory_id);

CREATE TABLE memory_vectors (
  agent_id text NOT NULL,
  brand_id integer NOT NULL,
  model text NOT NULL,
  text_hash bytea NOT NULL,
  dimensions integer NOT NULL,
  vector bytea NOT NULL,
  made_in xid8 DEFAULT pg_current_xact_id() NOT NULL,
  CONSTRAINT memory_vectors_pkey PRIMARY KEY (agent_id, brand_id, model, text_hash),
  CONSTRAINT memory_vectors_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id) ON DELETE CASCADE,
  CONSTRAINT memory_vectors_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX memory_vectors_by_brand ON memory_vectors USING btree (brand_id);
CREATE INDEX memory_vectors_by_model ON memory_vectors USING btree (model);
CREATE INDEX memory_vectors_made ON memory_vectors USING btree (agent_id, made_in);
CREATE INDEX memory_vectors_of_text ON memory_vectors USING btree (text_hash);

CREATE TABLE mfa_challenges (
  challenge_hash text NOT NULL,
  user_id integer NOT NULL,
  brand_id integer NOT NULL,
  wrong_codes integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  by_provider boolean DEFAULT false NOT NULL,
  CONSTRAINT mfa_challenges_pkey PRIMARY KEY (challenge_hash),
  CONSTRAINT mfa_challenges_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT mfa_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX mfa_challenges_by_brand ON mfa_challenges USING btree (brand_id);
CREATE INDEX mfa_challenges_by_expiry ON mfa_challenges USING btree (expires_at);
CREATE INDEX mfa_challenges_by_user ON mfa_challenges USING btree (user_id, created_at);

CREATE TABLE model_prices (
  model text NOT NULL,
  valid_from timestamp with time zone NOT NULL,
  usd_per_mtok_in numeric NOT NULL,
  usd_per_mtok_out numeric NOT NULL,
  CONSTRAINT model_prices_pkey PRIMARY KEY (model, valid_from)
);

CREATE TABLE oidc_accounts (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT oidc_accounts_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT oidc_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX oidc_accounts_by_user ON oidc_accounts USING btree (user_id);

CREATE TABLE password_reset_requests (
  request_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_name text NOT NULL,
  address text,
  requested_at timestamp with time zone NOT NULL,
  claimed_at timestamp with time zone,
  CONSTRAINT password_reset_requests_pkey PRIMARY KEY (request_id)
);

CREATE TABLE password_resets (
  token_hash text NOT NULL,
  user_id integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash),
  CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX password_resets_by_expiry ON password_resets USING btree (expires_at);
CREATE INDEX password_resets_by_user ON password_resets USING btree (user_id);

CREATE TABLE past_guests (
  brand_id integer NOT NULL,
  user_id integer NOT NULL,
  CONSTRAINT past_guests_pkey PRIMARY KEY (brand_id, user_id),
  CONSTRAINT past_guests_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT past_guests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX past_guests_by_user ON past_guests USING btree (user_id);

CREATE TABLE project_checks (
  project_id uuid NOT NULL,
  brand_id integer NOT NULL,
  checks jsonb NOT NULL,
  setup jsonb,
  required boolean NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT project_checks_pkey PRIMARY KEY (project_id),
  CONSTRAINT project_checks_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT project_checks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);
CREATE INDEX project_checks_by_brand ON project_checks USING btree (brand_id);

CREATE TABLE project_forges (
  project_id uuid NOT NULL,
  brand_id integer NOT NULL,
  kind text NOT NULL,
  api_url text NOT NULL,
  repository text NOT NULL,
  sealed_token text NOT NULL,
  default_branch text NOT NULL,
  issues_label text,
  issues_board_id uuid,
  hook_secret text,
  past_hook_secrets jsonb DEFAULT '[]'::jsonb NOT NULL,
  hook_last_at timestamp with time zone,
  checked_at timestamp with time zone,
  error text,
  connected_by integer,
  connected_at timestamp with time zone NOT NULL,
  look_at timestamp with time zone NOT NULL,
  paused_until timestamp with time zone,
  failures integer DEFAULT 0 NOT NULL,
  issues_seen_to timestamp with time zone,
  CONSTRAINT project_forges_pkey PRIMARY KEY (project_id),
  CONSTRAINT project_forges_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT project_forges_project FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  CONSTRAINT project_forges_kind CHECK (kind = ANY (ARRAY['github'::text, 'gitlab'::text, 'forgejo'::text]))
);
CREATE INDEX project_forges_due ON project_forges USING btree (look_at);
CREATE INDEX project_forges_of_brand ON project_forges USING btree (brand_id, project_id);

CREATE TABLE project_secrets (
  project_id uuid NOT NULL,
  name text NOT NULL,
  brand_id integer NOT NULL,
  sealed text NOT NULL,
  recipients text[] NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT project_secrets_pkey PRIMARY KEY (project_id, name),
  CONSTRAINT project_secrets_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT project_secrets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);
CREATE INDEX project_secrets_by_brand ON project_secrets USING btree (brand_id);

CREATE TABLE projects (
  project_id uuid NOT NULL,
  brand_id integer NOT NULL,
  name text NOT NULL,
  repository_url text,
  repository_branch text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  looked_at timestamp with time zone,
  ready_index_id uuid,
  ready_commit text,
  ready_extractor integer,
  index_version bigint DEFAULT 0 NOT NULL,
  lessons_version bigint DEFAULT 0 NOT NULL,
  step_count bigint DEFAULT 0 NOT NULL,
  tried_commit text,
  tried_extractor integer,
  tries integer DEFAULT 0 NOT NULL,
  plain_name text GENERATED ALWAYS AS (plain_name(name || COALESCE(' '::text || repository_url, ''::text))) STORED,
  CONSTRAINT projects_pkey PRIMARY KEY (project_id),
  CONSTRAINT projects_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX projects_brand ON projects USING btree (brand_id, name, project_id);
CREATE INDEX projects_looked_at ON projects USING btree (looked_at) WHERE repository_url IS NOT NULL;
CREATE TRIGGER projects_forget_nodes AFTER DELETE ON projects FOR EACH ROW EXECUTE FUNCTION forget_code_nodes();

CREATE TABLE proof_codes (
  user_id integer NOT NULL,
  sealed_code text NOT NULL,
  wrong_codes smallint DEFAULT 0 NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT proof_codes_pkey PRIMARY KEY (user_id),
  CONSTRAINT proof_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);

CREATE TABLE pull_request_wishes (
  build_id uuid NOT NULL,
  brand_id integer NOT NULL,
  project_id uuid NOT NULL,
  card_id uuid NOT NULL,
  branch text NOT NULL,
  commit_sha text NOT NULL,
  next_at timestamp with time zone,
  attempts integer DEFAULT 0 NOT NULL,
  leased_until timestamp with time zone,
  error text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT pull_request_wishes_pkey PRIMARY KEY (build_id),
  CONSTRAINT pull_request_wishes_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT pull_request_wishes_build FOREIGN KEY (build_id) REFERENCES builds(build_id) ON DELETE CASCADE
);
CREATE INDEX pull_request_wishes_due ON pull_request_wishes USING btree (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX pull_request_wishes_of_brand ON pull_request_wishes USING btree (brand_id, card_id);
CREATE UNIQUE INDEX pull_request_wishes_of_card ON pull_request_wishes USING btree (card_id);

CREATE TABLE pull_requests (
  project_id uuid NOT NULL,
  number integer NOT NULL,
  brand_id integer NOT NULL,
  card_id uuid NOT NULL,
  url text NOT NULL,
  state text NOT NULL,
  head_branch text NOT NULL,
  head_sha text NOT NULL,
  base_branch text NOT NULL,
  base_sha text,
  mergeable boolean,
  merged_at timestamp with time zone,
  checks_state text DEFAULT 'none'::text NOT NULL,
  review_state text DEFAULT 'none'::text NOT NULL,
  checks jsonb DEFAULT '[]'::jsonb NOT NULL,
  reviews jsonb DEFAULT '[]'::jsonb NOT NULL,
  comments jsonb DEFAULT '[]'::jsonb NOT NULL,
  deploy_url text,
  build_id uuid,
  pushed_sha text,
  superseded_by uuid,
  card_status text,
  seen_at timestamp with time zone,
  look_at timestamp with time zone,
  look_attempts integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT pull_requests_pkey PRIMARY KEY (project_id, number),
  CONSTRAINT pull_requests_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT pull_requests_card FOREIGN KEY (card_id) REFERENCES cards(card_id) ON DELETE CASCADE,
  CONSTRAINT pull_requests_project FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  CONSTRAINT pull_requests_state CHECK (state = ANY (ARRAY['draft'::text, 'open'::text, 'merged'::text, 'closed'::text]))
);
CREATE INDEX pull_requests_due ON pull_requests USING btree (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX pull_requests_of_brand ON pull_requests USING btree (brand_id, project_id);
CREATE INDEX pull_requests_of_card ON pull_requests USING btree (card_id, created_at);
CREATE UNIQUE INDEX pull_requests_open_of_card ON pull_requests USING btree (card_id) WHERE state = ANY (ARRAY['draft'::text, 'open'::text]);

CREATE TABLE recovery_codes (
  user_id integer NOT NULL,
  code_hash text NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);

CREATE TABLE replica_beats (
  node_id uuid NOT NULL,
  beat bigint NOT NULL,
  beaten_at timestamp with time zone NOT NULL,
  CONSTRAINT replica_beats_pkey PRIMARY KEY (node_id)
);

CREATE TABLE review_comments (
  comment_id uuid NOT NULL,
  brand_id integer NOT NULL,
  build_id uuid NOT NULL,
  answers uuid,
  path text,
  line integer,
  side text DEFAULT 'new'::text NOT NULL,
  commit_sha text,
  context text,
  body text NOT NULL,
  author_user_id integer,
  author_agent_id text,
  draft_of integer,
  written_at timestamp with time zone NOT NULL,
  sent_at timestamp with time zone,
  resolved_at timestamp with time zone,
  resolved_by integer,
  resolved_by_agent text,
  CONSTRAINT review_comments_pkey PRIMARY KEY (comment_id),
  CONSTRAINT review_comments_answers_fkey FOREIGN KEY (answers) REFERENCES review_comments(comment_id) ON DELETE CASCADE,
  CONSTRAINT review_comments_author_fkey FOREIGN KEY (author_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT review_comments_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT review_comments_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(build_id) ON DELETE CASCADE,
  CONSTRAINT review_comments_draft_of_fkey FOREIGN KEY (draft_of) REFERENCES users(user_id) ON DELETE CASCADE,
  CONSTRAINT review_comments_resolved_by_fkey FOREIGN KEY (resolved_by) REFERENCES users(user_id) ON DELETE SET NULL,
  CONSTRAINT review_comments_draft_or_sent CHECK ((sent_at IS NULL) = (draft_of IS NOT NULL)),
  CONSTRAINT review_comments_line_of_a_path CHECK (line IS NULL OR path IS NOT NULL),
  CONSTRAINT review_comments_side_known CHECK (side = ANY (ARRAY['old'::text, 'new'::text]))
);
CREATE INDEX review_comments_by_author ON review_comments USING btree (author_user_id, comment_id) WHERE author_user_id IS NOT NULL;
CREATE INDEX review_comments_by_brand ON review_comments USING btree (brand_id);
CREATE INDEX review_comments_by_build ON review_comments USING btree (build_id, written_at, comment_id);
CREATE INDEX review_comments_by_resolver ON review_comments USING btree (resolved_by) WHERE resolved_by IS NOT NULL;
CREATE INDEX review_comments_by_thread ON review_comments USING btree (answers) WHERE answers IS NOT NULL;
CREATE INDEX review_comments_drafts ON review_comments USING btree (draft_of, build_id) WHERE draft_of IS NOT NULL;

CREATE TABLE saved_views (
  view_id uuid NOT NULL,
  brand_id integer NOT NULL,
  user_id integer NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  shared boolean DEFAULT false NOT NULL,
  CONSTRAINT saved_views_pkey PRIMARY KEY (view_id),
  CONSTRAINT saved_views_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT saved_views_user FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX saved_views_by_user ON saved_views USING btree (user_id);
CREATE INDEX saved_views_of_person ON saved_views USING btree (brand_id, user_id, created_at, view_id);
CREATE INDEX saved_views_shared ON saved_views USING btree (brand_id, created_at, view_id) WHERE shared;

CREATE TABLE schema_migrations (
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL,
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE server_secrets (
  name text NOT NULL,
  value text NOT NULL,
  CONSTRAINT server_secrets_pkey PRIMARY KEY (name)
);

CREATE TABLE sessions (
  session_id uuid NOT NULL,
  secret_hash text NOT NULL,
  user_id integer NOT NULL,
  brand_id integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  last_seen_at timestamp with time zone,
  signed_in_at timestamp with time zone,
  address text,
  agent text,
  by_provider boolean DEFAULT false NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (session_id),
  CONSTRAINT sessions_hash_unique UNIQUE (secret_hash),
  CONSTRAINT sessions_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX sessions_by_brand ON sessions USING btree (brand_id);
CREATE INDEX sessions_by_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_by_user ON sessions USING btree (user_id);

CREATE TABLE spend_entries (
  entry_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  brand_id integer NOT NULL,
  build_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  day text NOT NULL,
  project_id uuid NOT NULL,
  task_id uuid NOT NULL,
  agent_id text,
  coder text NOT NULL,
  profile text,
  tokens_in bigint NOT NULL,
  tokens_out bigint NOT NULL,
  cost_micros bigint NOT NULL,
  CONSTRAINT spend_entries_pkey PRIMARY KEY (entry_id),
  CONSTRAINT spend_entries_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX spend_entries_by_brand ON spend_entries USING btree (brand_id, entry_id);
CREATE INDEX spend_entries_by_build ON spend_entries USING btree (build_id);
CREATE TRIGGER spend_entries_stay BEFORE UPDATE ON spend_entries FOR EACH ROW EXECUTE FUNCTION refuse_change_of_ledger();

CREATE TABLE spend_tallies (
  brand_id integer NOT NULL,
  scope text NOT NULL,
  subject text NOT NULL,
  period text NOT NULL,
  builds bigint DEFAULT 0 NOT NULL,
  tokens_in bigint DEFAULT 0 NOT NULL,
  tokens_out bigint DEFAULT 0 NOT NULL,
  spent_micros bigint DEFAULT 0 NOT NULL,
  reserved_micros bigint DEFAULT 0 NOT NULL,
  told integer DEFAULT 0 NOT NULL,
  unmetered bigint DEFAULT 0 NOT NULL,
  CONSTRAINT spend_tallies_pkey PRIMARY KEY (brand_id, scope, subject, period),
  CONSTRAINT spend_tallies_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
) WITH (fillfactor=70);
CREATE INDEX spend_tallies_by_period ON spend_tallies USING btree (brand_id, scope, period);

CREATE TABLE test_clock (
  only_row boolean DEFAULT true NOT NULL,
  offset_ms double precision NOT NULL,
  frozen_at timestamp with time zone,
  CONSTRAINT test_clock_pkey PRIMARY KEY (only_row),
  CONSTRAINT test_clock_single_row CHECK (only_row)
);

CREATE TABLE tokens (
  token_id uuid NOT NULL,
  token_hash text NOT NULL,
  brand_id integer NOT NULL,
  user_id integer NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  agent_id text,
  CONSTRAINT tokens_pkey PRIMARY KEY (token_id),
  CONSTRAINT tokens_hash_unique UNIQUE (token_hash),
  CONSTRAINT tokens_agent FOREIGN KEY (agent_id) REFERENCES agents(agent_id) ON DELETE CASCADE,
  CONSTRAINT tokens_brand_id_fkey FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX tokens_by_agent ON tokens USING btree (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX tokens_by_brand ON tokens USING btree (brand_id);
CREATE INDEX tokens_by_person ON tokens USING btree (brand_id, user_id) WHERE revoked_at IS NULL;

CREATE TABLE totp_factors (
  user_id integer NOT NULL,
  sealed_secret text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  confirmed_at timestamp with time zone,
  last_step bigint,
  CONSTRAINT totp_factors_pkey PRIMARY KEY (user_id),
  CONSTRAINT totp_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);

CREATE TABLE users (
  user_id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  email citext NOT NULL,
  full_name text NOT NULL,
  password_hash text,
  kind text NOT NULL,
  mail_address text,
  created_at timestamp with time zone NOT NULL,
  account_name text,
  erased_at timestamp with time zone,
  plain_name text GENERATED ALWAYS AS (plain_name((full_name || ' '::text) || email::text)) STORED,
  CONSTRAINT users_pkey PRIMARY KEY (user_id),
  CONSTRAINT users_account_name_unique UNIQUE (account_name),
  CONSTRAINT users_email_unique UNIQUE (email),
  CONSTRAINT users_kind_known CHECK (kind = ANY (ARRAY['person'::text, 'staff'::text, 'service'::text]))
);
CREATE INDEX users_beyond_ascii ON users USING btree (user_id) WHERE plain_name IS NULL;
CREATE INDEX users_by_part ON users USING gin (((full_name || ' '::text) || email::text) gin_trgm_ops);
CREATE INDEX users_erased ON users USING btree (user_id) WHERE erased_at IS NOT NULL;
CREATE INDEX users_without_account_name ON users USING btree (user_id) WHERE account_name IS NULL;
CREATE TRIGGER users_settings AFTER UPDATE OF full_name, email ON users FOR EACH ROW WHEN (old.full_name IS DISTINCT FROM new.full_name OR old.email IS DISTINCT FROM new.email) EXECUTE FUNCTION tell_changed_person();

CREATE TABLE webhook_deliveries (
  delivery_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL,
  status text NOT NULL,
  attempts jsonb DEFAULT '[]'::jsonb NOT NULL,
  failures smallint DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone,
  due_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (delivery_id),
  CONSTRAINT webhook_deliveries_message FOREIGN KEY (event_id) REFERENCES webhook_messages(event_id) ON DELETE CASCADE,
  CONSTRAINT webhook_deliveries_webhook FOREIGN KEY (webhook_id) REFERENCES webhooks(webhook_id) ON DELETE CASCADE,
  CONSTRAINT webhook_deliveries_due CHECK ((status = 'pending'::text) = (due_at IS NOT NULL) AND (status = 'pending'::text) = (next_attempt_at IS NOT NULL)),
  CONSTRAINT webhook_deliveries_status CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))
);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries USING btree (webhook_id, status, created_at, delivery_id);
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries USING btree (webhook_id, created_at, delivery_id);
CREATE INDEX webhook_deliveries_of_message ON webhook_deliveries USING btree (event_id);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries USING btree (webhook_id, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE webhook_messages (
  event_id uuid NOT NULL,
  brand_id integer NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT webhook_messages_pkey PRIMARY KEY (event_id),
  CONSTRAINT webhook_messages_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE
);
CREATE INDEX webhook_messages_by_brand ON webhook_messages USING btree (brand_id);
CREATE INDEX webhook_messages_created ON webhook_messages USING btree (created_at);

CREATE TABLE webhooks (
  webhook_id uuid NOT NULL,
  brand_id integer NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  description text,
  enabled boolean NOT NULL,
  disabled_reason text,
  secret text NOT NULL,
  past_secrets jsonb DEFAULT '[]'::jsonb NOT NULL,
  failing_since timestamp with time zone,
  notice_due_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  failing_days smallint DEFAULT 0 NOT NULL,
  CONSTRAINT webhooks_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhooks_brand FOREIGN KEY (brand_id) REFERENCES brands(brand_id) ON DELETE CASCADE,
  CONSTRAINT webhooks_disabled CHECK (NOT (enabled AND (disabled_reason IS NOT NULL OR notice_due_at IS NOT NULL)))
);
CREATE INDEX webhooks_failing ON webhooks USING btree (failing_since) WHERE failing_since IS NOT NULL AND enabled;
CREATE INDEX webhooks_notice ON webhooks USING btree (notice_due_at) WHERE notice_due_at IS NOT NULL;
CREATE INDEX webhooks_of_brand ON webhooks USING btree (brand_id, created_at, webhook_id);

CREATE FUNCTION activity_id(at timestamp with time zone, sequence bigint)
 RETURNS uuid
 LANGUAGE sql
AS $function$
  select (
    lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0')
    || '7' || lpad(to_hex((sequence >> 28) & 4095), 3, '0')
    || to_hex(2147483648 + (sequence & 268435455))
    || lpad(to_hex(floor(random() * 4294967296)::bigint), 8, '0')
  )::uuid
$function$;

CREATE FUNCTION build_text(note text, reason text, result text, branch text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN concat_ws('
'::text, note, reason, result, branch);

CREATE FUNCTION card_text(instructions text, result text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN concat_ws('
'::text, "left"(instructions, 40000), "left"(result, 10000));

CREATE FUNCTION card_texts_with(asked tsquery, most integer)
 RETURNS SETOF card_words
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 300
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
BEGIN ATOMIC
 SELECT card_words.text_id,
     card_words.card_id,
     card_words.board_id,
     card_words.brand_id,
     card_words.changed_at,
     card_words.words
    FROM card_words
   WHERE ((card_words.words @@ rare_words(card_texts_with.asked, 'card_words'::regclass)) AND ts_match_vq(card_words.words, card_texts_with.asked))
  LIMIT card_texts_with.most;
END;

CREATE FUNCTION common_words(counted regclass)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
declare
  texts pg_class;
begin
  select * into texts from pg_class where oid = counted;
  if texts.reltuples < 10000 then
    return '{}';
  end if;
  return array(
    select known.word
    from pg_stats s, unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as known (word, frequency)
    where s.schemaname = texts.relnamespace::regnamespace::text and s.tablename = texts.relname
      and s.attname in ('words', 'search_words') and known.frequency > 0.01);
end $function$;

CREATE FUNCTION forget_code_nodes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from code_nodes where project_id = old.project_id;
  return null;
end $function$;

CREATE FUNCTION forget_comment_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from card_words where text_id = old.comment_id;
  return null;
end $function$;

CREATE FUNCTION leave_attachment_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into leftover_files (file_key, due_at)
  select 'attachments/' || brand_id || '/' || attachment_id, '-infinity' from gone
  on conflict (file_key) do update set due_at = excluded.due_at;
  update attachment_tallies t set bytes = t.bytes - g.bytes
  from (select brand_id, sum(bytes) as bytes from gone group by brand_id) g
  where t.brand_id = g.brand_id;
  return null;
end $function$;

CREATE FUNCTION memory_confidence(set_confidence double precision, verified_at timestamp with time zone, importance text, at timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (importance = 'critical'::text) THEN (round((set_confidence * (10000)::double precision)) / (10000)::double precision) ELSE (round(((set_confidence * (10000)::double precision) * power((0.98)::double precision, (GREATEST((0)::double precision, date_part('epoch'::text, (at - verified_at))) / (604800)::double precision)))) / (10000)::double precision) END;

CREATE FUNCTION memory_forget_vector(of_agent text, of_brand integer, hash bytea)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  delete from memory_vectors
  where text_hash = hash and agent_id || '' = of_agent and brand_id + 0 = of_brand and not exists (
    select from memories where text_hash = hash and agent_id || '' = of_agent and brand_id + 0 = of_brand);
end $function$;

CREATE FUNCTION memory_forget_vectors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from memory_unembedded where memory_id = any(array(select memory_id from gone));
  perform memory_forget_vector(agent_id, brand_id, text_hash) from (select distinct agent_id, brand_id, text_hash from gone) texts;
  return null;
end $function$;

CREATE FUNCTION memory_humps(content text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (content ~ '[a-z0-9][A-Z]|[A-Z][A-Z][a-z][a-z]'::text) THEN regexp_replace(regexp_replace(content, '([a-z0-9])([A-Z])'::text, '\1 \2'::text, 'g'::text), '([A-Z])([A-Z][a-z]{2})'::text, '\1 \2'::text, 'g'::text) ELSE ''::text END;

CREATE FUNCTION memory_importance_rank(importance text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE importance WHEN 'critical'::text THEN 3 WHEN 'high'::text THEN 2 WHEN 'normal'::text THEN 1 ELSE 0 END;

CREATE FUNCTION memory_index()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' or new.words is null
    or new.title <> old.title or new.body <> old.body or new.description is distinct from old.description
    or new.tags <> old.tags or new.excerpt <> old.excerpt
  then
    select stems, words into new.search, new.words
    from memory_terms(new.title, new.body, new.description, new.tags, new.excerpt);
    new.text_hash := memory_text_hash(new.title, new.body);
  end if;
  new.changed_in := pg_current_xact_id();
  return new;
end $function$;

CREATE FUNCTION memory_keep_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  differences jsonb := '{}';
  deed text := 'created';
begin
  if tg_op = 'UPDATE' then
    -- Long texts are compared whole and told cut.
    select coalesce(jsonb_object_agg(field, jsonb_build_object('from', was, 'to', is_now)), '{}') into differences
    from (values
      ('title', new.title <> old.title, memory_told(old.title), memory_told(new.title)),
      ('body', new.body <> old.body, memory_told(old.body), memory_told(new.body)),
      ('description', new.description is distinct from old.description, memory_told(old.description), memory_told(new.description)),
      ('kind', new.kind <> old.kind, to_jsonb(old.kind), to_jsonb(new.kind)),
      ('tags', new.tags <> old.tags, to_jsonb(old.tags), to_jsonb(new.tags)),
      ('confidence', new.set_confidence <> old.set_confidence, to_jsonb(old.set_confidence), to_jsonb(new.set_confidence)),
      ('importance', new.importance <> old.importance, to_jsonb(old.importance), to_jsonb(new.importance)),
      ('status', new.status <> old.status, to_jsonb(old.status), to_jsonb(new.status)),
      ('merged_into', new.merged_into is distinct from old.merged_into, to_jsonb(old.merged_into), to_jsonb(new.merged_into)),
      ('merged_from', new.merged_from <> old.merged_from, to_jsonb(old.merged_from), to_jsonb(new.merged_from)),
      ('superseded_by', new.superseded_by is distinct from old.superseded_by, to_jsonb(old.superseded_by), to_jsonb(new.superseded_by))
    ) as compared (field, differs, was, is_now)
    where differs;
    deed := case
      when new.status = 'merged' and old.status <> 'merged' then 'merged'
      when new.status = 'archived' and old.status <> 'archived' then 'archived'
      when new.status = 'active' and old.status = 'merged' then 'unmerged'
      when new.status = 'active' and old.status = 'archived' then 'restored'
      when differences <> '{}' then 'changed'
      else 'verified' end;
    if deed = 'verified' and new.last_verified_at = old.last_verified_at then
      return null;
    end if;
  end if;
  insert into memory_history (brand_id, memory_id, at, action, actor_user_id, actor_agent_id, changes)
  values (new.brand_id, new.memory_id, greatest(new.updated_at, new.last_verified_at), deed, new.changed_by,
    new.changed_by_agent, differences);
  return null;
end $function$;

CREATE FUNCTION memory_remember_removals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into memory_removals (agent_id, brand_id, memory_id) select agent_id, brand_id, memory_id from gone;
  return null;
end $function$;

CREATE FUNCTION memory_spaced(content text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  spaced text := replace(replace(translate(content, '/\_-:@=&?#+~%<>', '               '), '. ', ' '), E'.\n', ' ');
begin
  if right(spaced, 1) = '.' then
    spaced := rtrim(spaced, '.');
  end if;
  if position('.' in spaced) > 0 then
    spaced := regexp_replace(regexp_replace(spaced, '([^0-9])\.', '\1 ', 'g'), '\.([^0-9])', ' \1', 'g');
  end if;
  return spaced;
end $function$;

CREATE FUNCTION memory_tags_text(tags text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN array_to_string(tags, '
'::text);

CREATE FUNCTION memory_terms(title text, body text, description text, tags text[], excerpt text, OUT stems tsvector, OUT words tsvector)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  spaced_title text := memory_spaced(title);
  spaced_body text := memory_spaced(left(body, 50000));
  aside text := concat_ws(' ', description, left(array_to_string(tags, ' '), 20000), left(excerpt, 4000));
  humps text := memory_humps(spaced_title || ' ' || spaced_body);
begin
  stems := setweight(to_tsvector('memory_stems'::regconfig, spaced_title), 'A')
    || setweight(to_tsvector('memory_stems'::regconfig, spaced_body), 'B');
  words := setweight(to_tsvector('memory_words'::regconfig, spaced_title), 'A')
    || setweight(to_tsvector('memory_words'::regconfig, spaced_body), 'B');
  if aside <> '' then
    stems := stems || setweight(to_tsvector('memory_stems'::regconfig, memory_spaced(aside)), 'C');
  end if;
  if humps <> '' then
    stems := stems || setweight(to_tsvector('memory_stems'::regconfig, humps), 'D');
    words := words || setweight(to_tsvector('memory_words'::regconfig, humps), 'D');
  end if;
end $function$;

CREATE FUNCTION memory_text(title text, body text, description text, tags text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((((title || '
'::text) || body) || COALESCE(('
'::text || description), ''::text)) || '
'::text) || CASE WHEN (tags = '{}'::text[]) THEN ''::text ELSE memory_tags_text(tags) END);

CREATE FUNCTION memory_text_hash(title text, body text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN substr(sha256(convert_to(((title || '
'::text) || body), 'UTF8'::name)), 1, 16);

CREATE FUNCTION memory_told(content text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN to_jsonb(CASE WHEN (length(content) > 10000) THEN ("left"(content, 10000) || '…'::text) ELSE content END);

CREATE FUNCTION memory_want_vector()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into memory_unembedded (memory_id, brand_id, text_hash) values (new.memory_id, new.brand_id, new.text_hash)
  on conflict (memory_id) do update set text_hash = excluded.text_hash, claimed_at = null;
  if tg_op = 'UPDATE' then
    perform memory_forget_vector(old.agent_id, old.brand_id, old.text_hash);
  end if;
  return null;
end $function$;

CREATE FUNCTION note_card_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into card_words (text_id, card_id, board_id, brand_id, changed_at, words)
  select k.card_id, k.card_id, k.board_id, k.brand_id, k.updated_at,
    search_words(k.brand_id, k.title, card_text(b.instructions, b.result))
  from cards k left join card_bodies b using (card_id) where k.card_id = new.card_id
  on conflict (text_id) do update set changed_at = excluded.changed_at, words = excluded.words;
  return null;
end $function$;

CREATE FUNCTION note_comment_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into card_words (text_id, card_id, board_id, brand_id, changed_at, words)
  select new.comment_id, k.card_id, k.board_id, k.brand_id, new.created_at, search_words(k.brand_id, '', new.body)
  from cards k where k.card_id = new.card_id
  on conflict (text_id) do update set words = excluded.words;
  return null;
end $function$;

CREATE FUNCTION number_hire()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- One at a time in a workspace.
  perform from brands where brand_id = new.brand_id for no key update;
  new.number := 1 + coalesce((select max(number) from hires where brand_id = new.brand_id), 0);
  return new;
end
$function$;

CREATE FUNCTION plain_name(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (octet_length(name) = char_length(name)) THEN lower((name COLLATE "C")) ELSE NULL::text END;

CREATE FUNCTION priority_rank(priority text)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce(array_position('{urgent,high,normal,low}'::text[], priority), 5)::smallint
$function$;

CREATE FUNCTION rare_parts_of_titles(brand_id integer, asked text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
declare
  common text[] := common_words('card_words');
  rare text[];
begin
  select array_agg(part) into rare
  from unnest(asked) as part
  where not exists (
    select from unnest(common) word
    where starts_with(word, brand_id || '!') and strpos(word, lower(part)) > 0);
  return rare;
end $function$;

CREATE FUNCTION rare_title_words(brand_id integer, asked text[])
 RETURNS text[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE(rare_parts_of_titles(brand_id, asked), asked);

CREATE FUNCTION rare_words(asked tsquery, counted regclass)
 RETURNS tsquery
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
declare
  common text[];
  rare text;
begin
  if numnode(asked) = 1 then
    return asked;
  end if;
  common := common_words(counted);
  select string_agg(term, ' & ') into rare
  from unnest(string_to_array(asked::text, ' & ')) as term
  where not exists (
    select from unnest(common) word where starts_with(word, trim(both '''' from replace(term, ':*', ''))));
  return coalesce(rare::tsquery, asked);
end $function$;

CREATE FUNCTION refuse_change_of_ledger()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'The ledger is only added to';
end $function$;

CREATE FUNCTION review_of_build(outcome text, kind text, superseded boolean, accepted timestamp with time zone, reworked timestamp with time zone, pushed timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when pushed is not null then 'pushed' when accepted is not null then 'accepted'
    when reworked is not null then 'rework'
    when outcome = 'succeeded' and kind = 'build' and not superseded then 'to_review' else '' end
$function$;

CREATE FUNCTION search_query(brand_id integer, zone text, asked text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT (string_agg((((''''::text || replace(replace(((search_query.brand_id || search_query.zone) || "left"(word.word, 60)), '\'::text, '\\'::text), ''''::text, ''''''::text)) || ''''::text) || CASE WHEN (length(word.word) > 1) THEN ':*'::text ELSE ''::text END), ' & '::text))::tsquery AS string_agg FROM unnest(search_terms(search_query.asked)) word(word));

CREATE FUNCTION search_spaced(content text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  if octet_length(content) = length(content) then
    return content;
  end if;
  return regexp_replace(
    (select string_agg(normalize(substr(content, at, 500), nfkc), '' order by at) from generate_series(1, length(content), 500) as at),
    '[\u00a0-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u303f\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]',
    ' ', 'g');
end $function$;

CREATE FUNCTION search_terms(content text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN tsvector_to_array(to_tsvector('memory_words'::regconfig, memory_spaced(search_spaced("left"(content, 50000)))));

CREATE FUNCTION search_words(brand_id integer, title text, content text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE COST 100000
 SET search_path TO '$user', 'public'
AS $function$
declare
  titled text[] := search_terms(title || ' ' || memory_humps(title));
begin
  return array_to_tsvector(
    array(select brand_id || '!' || left(word, 60) from unnest(titled) as word)
    || array(
      select brand_id || '/' || left(word, 60)
      from unnest(
        titled
        || search_terms(coalesce(content, ''))
        || search_terms(memory_humps(left(coalesce(content, ''), 50000)))
      ) as word
    )
  );
end $function$;

CREATE FUNCTION supersede_builds()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update builds b set superseded = true
  from (select brand_id, task_id, max(attempt) as attempt from added where attempt > 1 group by 1, 2) a
  where b.brand_id = a.brand_id and b.task_id = a.task_id and b.attempt < a.attempt and b.kind = 'build' and not b.superseded;
  return null;
end $function$;

CREATE FUNCTION tally_added_builds()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into build_tallies (brand_id, workstation_id, coder, outcome, review, builds)
  select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome,
    review_of_build(outcome, kind, superseded, accepted_at, reworked_at, pushed_at), count(*)
  from added where outcome is not null
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (brand_id, workstation_id, coder, outcome, review) do update set builds = build_tallies.builds + excluded.builds;
  return null;
end $function$;

CREATE FUNCTION tally_added_cards()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into card_tallies (board_id, column_id, status, has_pr, archived, cards)
  select board_id, column_id, status, pr_number is not null or pr_url is not null, archived, count(*) from added
  group by 1, 2, 3, 4, 5
  on conflict (board_id, column_id, status, has_pr, archived) do update set cards = card_tallies.cards + excluded.cards;
  return null;
end $function$;

CREATE FUNCTION tally_changed_cards()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into card_tallies (board_id, column_id, status, has_pr, archived, cards)
  select board_id, column_id, status, has_pr, archived, sum(cards) from (
    select board_id, column_id, status, pr_number is not null or pr_url is not null as has_pr, archived, -1 as cards from before
    union all
    select board_id, column_id, status, pr_number is not null or pr_url is not null, archived, 1 from after
  ) moved
  group by 1, 2, 3, 4, 5
  having sum(cards) <> 0
  on conflict (board_id, column_id, status, has_pr, archived) do update set cards = card_tallies.cards + excluded.cards;
  return null;
end $function$;

CREATE FUNCTION tally_ended_builds()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into build_tallies (brand_id, workstation_id, coder, outcome, review, builds)
  select brand_id, workstation_id, coder, outcome, review, sum(builds) from (
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000') as workstation_id, coder, outcome,
      review_of_build(outcome, kind, superseded, accepted_at, reworked_at, pushed_at) as review, -1 as builds
    from before where outcome is not null
    union all
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome,
      review_of_build(outcome, kind, superseded, accepted_at, reworked_at, pushed_at), 1
    from after where outcome is not null
  ) moved
  group by 1, 2, 3, 4, 5 having sum(builds) <> 0
  order by 1, 2, 3, 4, 5
  on conflict (brand_id, workstation_id, coder, outcome, review) do update set builds = build_tallies.builds + excluded.builds;
  return null;
end $function$;

CREATE FUNCTION tally_removed_builds()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update build_tallies t set builds = t.builds - r.builds
  from (
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000') as workstation_id, coder, outcome,
      review_of_build(outcome, kind, superseded, accepted_at, reworked_at, pushed_at) as review, count(*) as builds
    from removed where outcome is not null group by 1, 2, 3, 4, 5
  ) r
  where (t.brand_id, t.workstation_id, t.coder, t.outcome, t.review) = (r.brand_id, r.workstation_id, r.coder, r.outcome, r.review);
  return null;
end $function$;

CREATE FUNCTION tally_removed_cards()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update card_tallies t set cards = t.cards - r.cards
  from (
    select board_id, column_id, status, pr_number is not null or pr_url is not null as has_pr, archived, count(*) as cards from removed
    group by 1, 2, 3, 4, 5
  ) r
  where (t.board_id, t.column_id, t.status, t.has_pr, t.archived) = (r.board_id, r.column_id, r.status, r.has_pr, r.archived);
  return null;
end $function$;

CREATE FUNCTION tell_changed_person()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('guildhall', '{"channel":"guildhall_settings","payload":{"brand_id":null}}');
  return null;
end $function$;

CREATE FUNCTION tell_changed_settings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('guildhall', '{"channel":"guildhall_settings","payload":{"brand_id":'
    || coalesce(new.brand_id::text, old.brand_id::text, 'null') || '}}');
  return null;
end $function$;

CREATE FUNCTION week_of(at timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (date_trunc('week'::text, (at AT TIME ZONE 'UTC'::text)))::date;
