-- Projects, their code graph, and the lessons anchored to it.

create table projects (
  project_id uuid primary key,
  brand_id integer not null references brands (brand_id) on delete cascade,
  name text not null,
  repository_url text,
  repository_branch text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the repository was last looked at; a look without news makes no index.
  looked_at timestamptz,
  -- The index in force.
  ready_index_id uuid,
  ready_commit text,
  -- The version of the reader that made it: a newer one looks at everything again.
  ready_extractor integer,
  -- Grow with every change, so that what a process remembers can be held against them.
  index_version bigint not null default 0,
  lessons_version bigint not null default 0,
  -- Steps of history taken so far: orders removals.
  step_count bigint not null default 0
);
create index projects_brand on projects (brand_id, name, project_id);
create index projects_looked_at on projects (looked_at) where repository_url is not null;

create table code_indexes (
  index_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  status text not null constraint code_indexes_status check (status in ('queued', 'running', 'ready', 'failed')),
  commit_id text,
  files integer not null default 0,
  nodes integer not null default 0,
  edges integer not null default 0,
  lessons integer not null default 0,
  warnings jsonb not null default '[]',
  progress jsonb,
  error text,
  queued_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
create index code_indexes_project on code_indexes (project_id, queued_at desc, index_id desc);
create index code_indexes_open on code_indexes (project_id) where status in ('queued', 'running');
create unique index code_indexes_one_queued on code_indexes (project_id) where status = 'queued';

-- Removed nodes stay, so that a revert brings the same id back.
create table code_nodes (
  project_id uuid not null references projects (project_id) on delete cascade,
  node_no integer not null,
  node_id uuid not null,
  kind text not null,
  path text collate "C" not null,
  symbol text,
  parent_no integer,
  live boolean not null,
  blob_id text,
  symbol_kind text,
  body_hash text,
  masked_hash text,
  removed_commit text,
  removed_step bigint,
  primary key (project_id, node_no)
);
create unique index code_nodes_id on code_nodes (node_id);
create index code_nodes_live_path on code_nodes (project_id, path) where live;

-- The import and call edges that leave one file, packed: triples of 32-bit numbers (source, target, kind).
create table code_edges (
  project_id uuid not null references projects (project_id) on delete cascade,
  file_no integer not null,
  packed bytea not null,
  primary key (project_id, file_no)
);

-- What a parser read from a blob, as JSON text; it can be made again at any time.
create table code_facts (
  project_id uuid not null references projects (project_id) on delete cascade,
  fact_key text not null,
  extractor integer not null,
  facts text not null,
  primary key (project_id, fact_key)
);

create table lessons (
  lesson_no bigint generated always as identity primary key,
  brand_id integer not null references brands (brand_id) on delete cascade,
  project_id uuid not null references projects (project_id) on delete cascade,
  lesson_id text collate "C" not null,
  path text not null,
  -- Who owns the record: the repository's own folder, or a caller that pushed it.
  origin text not null constraint lessons_origin check (origin in ('repository', 'pushed')),
  type text not null,
  title text not null,
  body text not null,
  pinned boolean not null,
  author text,
  card text,
  scope text,
  status text not null constraint lessons_status check (status in ('live', 'retired', 'superseded')),
  superseded_by text,
  -- Hash of the file as it was read, and of the texts that are compared.
  content_hash text not null,
  text_hashes text[] not null,
  -- The commit that removed the last code it stands on; set by whatever changes nodes or anchors, in the same transaction.
  stale_commit text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint lessons_id_per_project unique (project_id, lesson_id)
);
create index lessons_brand on lessons (brand_id, lesson_id);
create index lessons_stale on lessons (brand_id, lesson_id) where stale_commit is not null;

create table lesson_anchors (
  lesson_no bigint not null references lessons (lesson_no) on delete cascade,
  position integer not null,
  brand_id integer not null,
  project_id uuid not null,
  -- As the author wrote it; the record follows the code, the file is never rewritten.
  written text not null,
  path text collate "C" not null,
  kind text not null constraint lesson_anchors_kind check (kind in ('file', 'symbol', 'folder')),
  node_no integer,
  primary key (lesson_no, position)
);
create index lesson_anchors_path on lesson_anchors (brand_id, path);
create index lesson_anchors_project on lesson_anchors (project_id, node_no);

create table lesson_moves (
  lesson_no bigint not null references lessons (lesson_no) on delete cascade,
  position integer not null,
  from_path text not null,
  to_path text not null,
  commit_id text not null,
  primary key (lesson_no, position)
);

create table lesson_vectors (
  brand_id integer not null references brands (brand_id) on delete cascade,
  model text not null,
  text_hash text not null,
  dimensions integer not null,
  vector bytea not null,
  primary key (brand_id, model, text_hash)
);
