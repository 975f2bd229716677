-- How many builds wait for a review is counted from an index: which were tried again since is read from another, which holds none
-- of the first attempts.
-- allowed: builds are few beside what they leave behind, and the indexes are small
create index builds_waiting on builds (brand_id, task_id, attempt)
  where outcome = 'succeeded' and accepted_at is null and reworked_at is null and kind = 'build';
-- allowed: as above
create index builds_tried_again on builds (brand_id, task_id, attempt) where attempt > 1;
