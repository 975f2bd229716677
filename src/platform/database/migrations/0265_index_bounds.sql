-- An index that leaves something out says so.
alter table code_indexes add column truncated boolean not null default false;

-- Passes that began over a commit and came to no end: one that takes the program down with it is not tried for ever.
alter table projects
  add column tried_commit text,
  add column tried_extractor integer,
  add column tries integer not null default 0;
