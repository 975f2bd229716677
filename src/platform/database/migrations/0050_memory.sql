-- What agents remember, where they learned it, and what was written down of it.

create extension if not exists btree_gin;
create extension if not exists pg_trgm;
create extension if not exists unaccent;

-- Accents are folded before anything else, so that "cafe" finds "café".
create text search configuration memory_stems (copy = pg_catalog.english);
alter text search configuration memory_stems
  alter mapping for hword, hword_part, word with unaccent, english_stem;
create text search configuration memory_words (copy = pg_catalog.simple);
alter text search configuration memory_words
  alter mapping for hword, hword_part, word with unaccent, simple;

-- Zones: A title, B body and description, C tags and the words of the conversation it came from, D whole words for
-- prefixes. A vector holds at most one megabyte, hence the cut; the text itself is kept whole.
create function memory_vector(title text, body text, description text, tags text[], excerpt text) returns tsvector
language sql immutable parallel safe
return
  setweight(to_tsvector('memory_stems'::regconfig, title), 'A')
  || setweight(to_tsvector('memory_stems'::regconfig, left(body, 50000) || ' ' || coalesce(description, '')), 'B')
  || setweight(to_tsvector('memory_stems'::regconfig, left(array_to_string(tags, ' '), 20000) || ' ' || left(excerpt, 4000)), 'C')
  || setweight(to_tsvector('memory_words'::regconfig, title || ' ' || left(body, 50000)), 'D');

-- The confidence as everybody sees it: two percent less for every week since it was set or verified.
create function memory_confidence(set_confidence double precision, verified_at timestamptz, importance text, at timestamptz)
returns double precision
language sql immutable parallel safe
return case
  when importance = 'critical' then round(set_confidence * 10000) / 10000
  else round(set_confidence * 10000
    * power(0.98::double precision, greatest(0, date_part('epoch', at - verified_at)) / 604800)) / 10000
end;

create function memory_importance_rank(importance text) returns integer
language sql immutable parallel safe
return case importance when 'critical' then 3 when 'high' then 2 when 'normal' then 1 else 0 end;

create table memory_sources (
  source_id uuid primary key,
  brand_id integer not null references brands on delete cascade,
  agent_id text not null references agents on delete cascade,
  source_type text not null constraint memory_sources_type_known check (source_type in ('openclaw', 'agentboard', 'claude_code')),
  config jsonb not null default '{}',
  enabled boolean not null default true,
  -- How far finished cards were read, by the time of their last change.
  read_until timestamptz,
  last_picked_up_at timestamptz,
  error text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index memory_sources_by_brand on memory_sources (brand_id, created_at, source_id);
create index memory_sources_by_agent on memory_sources (agent_id);

-- Messages wait here until they have been learned from; then only their number is kept.
create table memory_conversations (
  conversation_id uuid primary key,
  brand_id integer not null references brands on delete cascade,
  agent_id text not null references agents on delete cascade,
  source_id uuid references memory_sources on delete set null,
  source_type text not null,
  external_id text not null,
  status text not null constraint memory_conversations_status_known check (status in ('waiting', 'processing', 'done', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  error text,
  pending jsonb not null default '[]',
  received integer not null default 0,
  claim_id uuid,
  claimed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint memory_conversations_once unique (agent_id, source_type, external_id)
);
create index memory_conversations_by_brand on memory_conversations (brand_id, created_at desc, conversation_id);
create index memory_conversations_due on memory_conversations (next_attempt_at) where status = 'waiting';
create index memory_conversations_claimed on memory_conversations (claimed_at) where status = 'processing';
create index memory_conversations_by_source on memory_conversations (source_id);

-- How far each session file was read, and how it began, to notice that it is another file by now. Not bound to a source:
-- two sources over one folder, or a source that is made again, must not learn the same file twice.
create table memory_source_files (
  agent_id text not null references agents on delete cascade,
  source_type text not null,
  path text not null,
  read_bytes bigint not null,
  head_bytes integer not null,
  head_hash text not null,
  primary key (agent_id, source_type, path)
);

create table memories (
  memory_id uuid primary key,
  brand_id integer not null references brands on delete cascade,
  agent_id text not null references agents on delete cascade,
  kind text not null constraint memories_kind_known
    check (kind in ('decision', 'learning', 'pattern', 'preference', 'fact', 'summary')),
  title text not null,
  body text not null,
  description text,
  tags text[] not null default '{}',
  set_confidence double precision not null constraint memories_confidence_range check (set_confidence between 0 and 1),
  importance text not null constraint memories_importance_known check (importance in ('low', 'normal', 'high', 'critical')),
  status text not null default 'active' constraint memories_status_known check (status in ('active', 'archived', 'merged')),
  -- The sentences of the conversation it was learned from; searchable, below everything else.
  excerpt text not null default '',
  source_id uuid references memory_sources on delete set null,
  conversation_id uuid references memory_conversations on delete set null,
  extractor text constraint memories_extractor_known check (extractor in ('model', 'rule-based')),
  merged_into uuid references memories on delete set null,
  merged_from uuid[] not null default '{}',
  -- Set for good when consolidation took it, also after an unmerge: no learning is merged twice.
  consolidated boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_verified_at timestamptz not null,
  search tsvector not null generated always as (memory_vector(title, body, description, tags, excerpt)) stored
);
-- The agent's name is part of the index, so that other workspaces' memories cost a search nothing.
create index memories_search on memories using gin (agent_id, search);
create index memories_by_agent on memories (agent_id, status);
create index memories_by_brand on memories (brand_id, status);
create index memories_merged_into on memories (merged_into) where merged_into is not null;
create index memories_by_conversation on memories (conversation_id) where conversation_id is not null;
create index memories_by_source on memories (source_id) where source_id is not null;
create index memories_learnings on memories (agent_id) where kind = 'learning' and status = 'active' and not consolidated;

-- What stands in an agent's MEMORY.md, to recognise what a person changed there since.
create table memory_exports (
  agent_id text primary key references agents on delete cascade,
  brand_id integer not null references brands on delete cascade,
  entries jsonb not null,
  digest text not null,
  exported_at timestamptz not null
);
