-- What people say to the work of a build, in threads: seen by all once it is sent, and by its writer alone before.

create table review_comments (
  comment_id uuid primary key,
  brand_id integer not null constraint review_comments_brand_id_fkey references brands on delete cascade,
  build_id uuid not null constraint review_comments_build_id_fkey references builds on delete cascade,
  -- The first comment of its thread; null for that one, which alone has a place.
  answers uuid constraint review_comments_answers_fkey references review_comments on delete cascade,
  path text,
  line integer,
  side text not null default 'new' constraint review_comments_side_known check (side in ('old', 'new')),
  -- The commit in whose file the line stands; what became of the line follows from it.
  commit_sha text,
  -- The line and what stood before it, for when it is gone.
  context text,
  body text not null,
  author_user_id integer constraint review_comments_author_fkey references users on delete set null,
  -- The agent that wrote it for that person, where one did.
  author_agent_id text,
  -- Whose draft it is: a draft goes with its writer, and what was sent stays.
  draft_of integer constraint review_comments_draft_of_fkey references users on delete cascade,
  written_at timestamptz not null,
  sent_at timestamptz,
  resolved_at timestamptz,
  resolved_by integer constraint review_comments_resolved_by_fkey references users on delete set null,
  resolved_by_agent text,
  constraint review_comments_draft_or_sent check ((sent_at is null) = (draft_of is not null)),
  constraint review_comments_line_of_a_path check (line is null or path is not null)
);
create index review_comments_by_build on review_comments (build_id, written_at, comment_id);
create index review_comments_by_thread on review_comments (answers) where answers is not null;
create index review_comments_by_brand on review_comments (brand_id);
create index review_comments_by_author on review_comments (author_user_id, comment_id) where author_user_id is not null;
create index review_comments_drafts on review_comments (draft_of, build_id) where draft_of is not null;
create index review_comments_by_resolver on review_comments (resolved_by) where resolved_by is not null;

-- What reviews said before, kept until now with the attempt that they asked for. The column is read no more; it goes once no node
-- of the version before runs.
insert into review_comments
  (comment_id, brand_id, build_id, path, line, commit_sha, body, author_user_id, written_at, sent_at)
select gen_random_uuid(), b.brand_id, reviewed.build_id, said.path, case when said.path is not null then said.line end,
  reviewed.head_sha, said.body, b.created_by, b.queued_at, b.queued_at
from builds b
join builds reviewed on reviewed.build_id = b.continues
cross join lateral jsonb_to_recordset(b.review_comments) as said (path text, line integer, body text)
where b.review_comments <> '[]' and said.body is not null;
