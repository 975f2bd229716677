-- People and workspaces that are to be forgotten, and what was done about it. No name is kept here: only who or what it was.
create table erasures (
  erasure_id bigint generated always as identity primary key,
  kind text not null constraint erasures_kind_known check (kind in ('person', 'workspace')),
  -- The user_id or brand_id. Not a reference: the workspace goes, the record stays.
  subject_id integer not null,
  requested_at timestamptz not null,
  -- What lies outside the database (folders, pictures), noted before the rows that name it go; null when all of it is gone.
  things jsonb,
  attempts integer not null default 0,
  finished_at timestamptz,
  constraint erasures_once unique (kind, subject_id)
);
create index erasures_open on erasures (erasure_id) where finished_at is null;

-- Set when the erasing was asked for: from then on the workspace is found nowhere.
alter table brands add column erasing_at timestamptz;
-- Set when the erasing was asked for: from then on nobody can be this person.
alter table users add column erased_at timestamptz;
create index users_erased on users (user_id) where erased_at is not null;

-- What a person did, for their export.
create index card_comments_by_author on card_comments (author_user_id, comment_id) where author_user_id is not null;
create index board_activity_by_actor on board_activity (actor_user_id, id) where actor_user_id is not null;
create index cards_by_reporter on cards (reporter_user_id, card_id) where reporter_user_id is not null;
create index cards_by_assignee on cards (assignee_user_id, card_id) where assignee_user_id is not null;

create index memberships_by_person on memberships (user_id);

-- What belongs to a workspace is found by it, also when it is to be removed.
create index sessions_by_brand on sessions (brand_id);
create index tokens_by_brand on tokens (brand_id);
create index machine_updates_by_brand on machine_updates (brand_id);
create index machine_updates_by_requester on machine_updates (requested_by);
create index memory_exports_by_brand on memory_exports (brand_id);
create index memory_removals_by_brand on memory_removals (brand_id);
