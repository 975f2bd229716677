-- What blocks a row, what it names that is not imported, who people of the source are here, and how far a host was read.
alter table card_import_rows
  add column blocker_seqs integer[],
  -- Keys of a parent and of blockers that no row has; null when there is none.
  add column missing_links text[];
alter table card_imports
  -- {login or name: mail address}
  add column users jsonb not null default '{}',
  add column pages_read integer not null default 0,
  add column rows_read integer not null default 0;

-- Workspaces take turns: the open imports of the next one are found from an index.
-- allowed: imports are few, and open ones fewer
create index card_imports_open_of_brand on card_imports (status, brand_id, created_at) where status in ('reading', 'running');
-- allowed: the index above answers what this one answered
drop index card_imports_open;
