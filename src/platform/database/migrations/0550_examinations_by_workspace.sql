-- Workspaces take turns when changes are analyzed: the oldest due build of the next workspace is read from an index.

-- allowed: builds are few beside the rows that belong to them, and the index holds only those whose analysis is due
create index builds_to_examine_of_brand on builds (brand_id, examine_at) where examine_at is not null;
-- allowed: the index above answers what this one answered
drop index builds_to_examine;
