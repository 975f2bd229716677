-- A second coder that only reads what the first one did: a build of its own kind, beside the one it is about.

alter table builds
  add column kind text not null default 'build' constraint builds_kind_known check (kind in ('build', 'review')),
  -- Of a review: the build that it looks at.
  add column reviewed_build_id uuid,
  -- Of a review: what it came to, {verdict, comments}.
  add column verdict jsonb,
  -- Of a build: since when it waits for what a reviewer says of it.
  add column review_wanted_at timestamptz;

-- allowed: builds are few beside what they leave behind, and what is made unique is unique already
create unique index builds_attempt_once on builds (task_id, attempt) where kind = 'build';
alter table builds drop constraint builds_attempt_unique;
-- allowed: open builds are few
create unique index builds_one_open_build on builds (task_id) where finished_at is null and kind = 'build';
drop index builds_one_open;
-- allowed: as above
create index builds_reviews_of on builds (reviewed_build_id, queued_at) where reviewed_build_id is not null;
-- allowed: as above
create index builds_to_be_reviewed on builds (review_wanted_at) where review_wanted_at is not null and finished_at is null;

alter table build_policies add column reviewer jsonb;
