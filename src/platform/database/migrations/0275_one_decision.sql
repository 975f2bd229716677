-- One decision a build: it was accepted, or sent back for another attempt; never both.

alter table builds add column reworked_at timestamptz;
alter table builds add column reworked_by integer constraint builds_reworked_by_fkey references users on delete set null;

-- An attempt that carries the comments of a review says that the one it continues was sent back.
update builds b set reworked_at = again.queued_at, reworked_by = again.created_by
from (
  select distinct on (continues) continues, queued_at, created_by from builds
  where continues is not null and review_comments <> '[]'
  order by continues, attempt
) again
where b.build_id = again.continues and b.accepted_at is null;

alter table builds add constraint builds_one_decision check (accepted_at is null or reworked_at is null);
