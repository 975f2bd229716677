-- Set when the agent's directory was removed for good, with the hire it belonged to: no export makes it again.
alter table agents add column directory_removed_at timestamptz;
update agents set directory_removed_at = coalesce(hires.workspace_removed_at, hires.disabled_at)
from hires where hires.agent_id = agents.agent_id and hires.disabled_at is not null;

-- An export is recorded before it is put in place. Until then, and while somebody still has the file open as it was, the
-- file names the export before: what its lines say, with a person's changes that were taken already.
alter table memory_exports
  add column replaced_digest text,
  add column replaced_entries jsonb,
  add constraint memory_exports_replaced_whole check ((replaced_digest is null) = (replaced_entries is null));

-- Retries that are due are looked for every few seconds.
create index memory_conversations_retries on memory_conversations (next_attempt_at)
  where status = 'waiting' and attempts > 0;

-- Which patterns a memory went into, also after it was taken out of the merge.
create index memories_merged_from on memories using gin (merged_from) where merged_from <> '{}';
