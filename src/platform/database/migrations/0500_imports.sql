-- Cards that come from elsewhere, read first and made afterwards.
create table card_imports (
  import_id uuid constraint card_imports_pkey primary key,
  brand_id integer not null constraint card_imports_brand references brands (brand_id) on delete cascade,
  board_id uuid not null constraint card_imports_board references boards (board_id) on delete cascade,
  source text not null,
  -- The file, or the repository on its host.
  name text not null,
  status text not null constraint card_imports_status check (status in ('reading', 'ready', 'running', 'done', 'failed')),
  -- What states of the source mean here, {from: to}.
  mapping jsonb not null default '{}',
  -- {new, known, unreadable, made}; what was read, before it is told, is counted row by row.
  counts jsonb not null default '{}',
  -- {states: [{name, cards}], people: {matched, unmatched}}, once all of it was read.
  found jsonb not null default '{}',
  error text,
  -- The project whose host is asked, the page that comes next, and when; null for a file.
  project_id uuid,
  page text,
  look_at timestamptz,
  -- Whoever asked for it last: the cards are made in their name.
  created_by integer constraint card_imports_person references users on delete set null,
  created_by_agent text,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index card_imports_of_brand on card_imports (brand_id, created_at);
create index card_imports_of_board on card_imports (board_id);
create index card_imports_open on card_imports (created_at) where status in ('reading', 'running');
create index card_imports_age on card_imports (created_at);

-- One row of the source each, as it was read.
create table card_import_rows (
  import_id uuid not null constraint card_import_rows_import references card_imports (import_id) on delete cascade,
  -- As whoever looks at the file counts.
  seq integer not null,
  brand_id integer not null constraint card_import_rows_brand references brands (brand_id) on delete cascade,
  -- What makes it the same as before: its address elsewhere, else a digest of it; null where it cannot be read.
  origin text,
  record jsonb,
  status text not null constraint card_import_rows_status check (status in ('new', 'known', 'unreadable', 'made')),
  reason text,
  card_id uuid,
  -- The row that it stands below, and how far down: parents are made before their children.
  parent_seq integer,
  depth integer not null default 0,
  constraint card_import_rows_pkey primary key (import_id, seq)
);
create index card_import_rows_of_brand on card_import_rows (brand_id, import_id);
create index card_import_rows_open on card_import_rows (import_id, depth, seq) where status = 'new';

-- What has come to a board once does not come again.
create table imported_cards (
  brand_id integer not null constraint imported_cards_brand references brands (brand_id) on delete cascade,
  board_id uuid not null constraint imported_cards_board references boards (board_id) on delete cascade,
  origin text not null,
  card_id uuid not null,
  created_at timestamptz not null,
  constraint imported_cards_pkey primary key (brand_id, board_id, origin)
);
create index imported_cards_of_board on imported_cards (board_id);

-- Addresses can be longer than an entry of an index may be.
-- allowed: few cards say so far where they come from; the index is small and made in one look through the table
create index cards_by_address on cards (board_id, md5(external_url)) where external_url is not null;
