-- Where the repository of a project lives, and as whom the service speaks to it.
create table project_forges (
  project_id uuid constraint project_forges_pkey primary key
    constraint project_forges_project references projects (project_id) on delete cascade,
  brand_id integer not null constraint project_forges_brand references brands (brand_id) on delete cascade,
  kind text not null constraint project_forges_kind check (kind in ('github', 'gitlab', 'forgejo')),
  api_url text not null,
  repository text not null,
  sealed_token text not null,
  default_branch text not null,
  -- Which issues become cards, and on which board; without a label none do.
  issues_label text,
  issues_board_id uuid,
  -- Sealed, as are those before it: [{sealed, until}], the newest first, each taken until its own time is over.
  hook_secret text,
  past_hook_secrets jsonb not null default '[]',
  hook_last_at timestamptz,
  -- When the host was last asked with success, and what went wrong since.
  checked_at timestamptz,
  error text,
  connected_by integer,
  connected_at timestamptz not null,
  -- When the next pass looks at it.
  look_at timestamptz not null,
  -- Nothing is asked of the host before then: it asked for a pause, or did not answer so many times in a row.
  paused_until timestamptz,
  failures integer not null default 0,
  -- Issues that changed before this moment have been seen.
  issues_seen_to timestamptz
);
create index project_forges_of_brand on project_forges (brand_id, project_id);
create index project_forges_due on project_forges (look_at);

-- What the host's webhook said that should be asked about. A delivery is known by its id, so that it counts once.
create table forge_deliveries (
  project_id uuid not null constraint forge_deliveries_project references projects (project_id) on delete cascade,
  delivery_id text not null,
  brand_id integer not null constraint forge_deliveries_brand references brands (brand_id) on delete cascade,
  received_at timestamptz not null,
  -- {pulls: [number], shas: [text], issues: boolean}; null once it was looked at, or where nobody needs it.
  about jsonb,
  constraint forge_deliveries_pkey primary key (project_id, delivery_id)
);
create index forge_deliveries_of_brand on forge_deliveries (brand_id, received_at);
create index forge_deliveries_open on forge_deliveries (received_at) where about is not null;
create index forge_deliveries_age on forge_deliveries (received_at);

-- Pull requests that cards follow, as the host last told of them.
create table pull_requests (
  project_id uuid not null constraint pull_requests_project references projects (project_id) on delete cascade,
  number integer not null,
  brand_id integer not null constraint pull_requests_brand references brands (brand_id) on delete cascade,
  card_id uuid not null constraint pull_requests_card references cards (card_id) on delete cascade,
  url text not null,
  state text not null constraint pull_requests_state check (state in ('draft', 'open', 'merged', 'closed')),
  head_branch text not null,
  head_sha text not null,
  base_branch text not null,
  base_sha text,
  mergeable boolean,
  merged_at timestamptz,
  checks_state text not null default 'none',
  review_state text not null default 'none',
  checks jsonb not null default '[]',
  reviews jsonb not null default '[]',
  comments jsonb not null default '[]',
  deploy_url text,
  -- The build whose work it shows and the commit that we pushed for it; null where a person opened it.
  build_id uuid,
  pushed_sha text,
  -- The build whose pull request takes its place: that it is closed then is nobody's refusal.
  superseded_by uuid,
  -- The card's status when a person tied it: as long as the card has it, nobody has decided otherwise since.
  card_status text,
  seen_at timestamptz,
  -- When it is asked about next; null once nothing follows it any more.
  look_at timestamptz,
  look_attempts integer not null default 0,
  created_at timestamptz not null,
  constraint pull_requests_pkey primary key (project_id, number)
);
create unique index pull_requests_open_of_card on pull_requests (card_id) where state in ('draft', 'open');
create index pull_requests_of_card on pull_requests (card_id, created_at);
create index pull_requests_of_brand on pull_requests (brand_id, project_id);
create index pull_requests_due on pull_requests (look_at) where look_at is not null;

-- Pushed work that waits for its pull request, one wish a card: the newest push takes the place of the one before. The row goes
-- once the pull request is there; whoever carries it out has it for a while.
create table pull_request_wishes (
  build_id uuid constraint pull_request_wishes_pkey primary key
    constraint pull_request_wishes_build references builds (build_id) on delete cascade,
  brand_id integer not null constraint pull_request_wishes_brand references brands (brand_id) on delete cascade,
  project_id uuid not null,
  card_id uuid not null,
  branch text not null,
  commit_sha text not null,
  next_at timestamptz,
  attempts integer not null default 0,
  leased_until timestamptz,
  error text,
  created_at timestamptz not null
);
create unique index pull_request_wishes_of_card on pull_request_wishes (card_id);
create index pull_request_wishes_of_brand on pull_request_wishes (brand_id, card_id);
create index pull_request_wishes_due on pull_request_wishes (next_at) where next_at is not null;

-- Heads for which the service has begun another attempt, or seen that a person did: once for each.
create table forge_reworks (
  project_id uuid not null constraint forge_reworks_project references projects (project_id) on delete cascade,
  head_sha text not null,
  brand_id integer not null constraint forge_reworks_brand references brands (brand_id) on delete cascade,
  because text not null,
  build_id uuid,
  at timestamptz not null,
  constraint forge_reworks_pkey primary key (project_id, head_sha)
);
create index forge_reworks_of_brand on forge_reworks (brand_id, project_id);

-- Issues that became cards. The row stays when the card goes, so that it does not come back. A project may be connected with
-- another repository, whose issues have the same numbers.
create table forge_issues (
  project_id uuid not null constraint forge_issues_project references projects (project_id) on delete cascade,
  repository text not null,
  number integer not null,
  brand_id integer not null constraint forge_issues_brand references brands (brand_id) on delete cascade,
  card_id uuid constraint forge_issues_card references cards (card_id) on delete set null,
  url text not null,
  title text not null,
  -- When the issue was told the card's address; null while that is still to be done. Until `telling_until` somebody is about to.
  commented_at timestamptz,
  telling_until timestamptz,
  -- When the card was put away because the issue was; it comes back with the issue.
  archived_at timestamptz,
  created_at timestamptz not null,
  constraint forge_issues_pkey primary key (project_id, repository, number)
);
create index forge_issues_of_brand on forge_issues (brand_id, project_id);
create index forge_issues_of_card on forge_issues (card_id) where card_id is not null;
create index forge_issues_to_tell on forge_issues (created_at) where commented_at is null;

-- What the host said of the attempt before: failing checks, comments or conflicting files. `rework_of` names why an attempt began
-- by itself.
alter table builds add column came_back jsonb, add column rework_of text[];
