-- Questions of coders to people. While one is open, its build waits and its time limit pauses.
create table build_questions (
  question_id uuid not null constraint build_questions_pkey primary key,
  brand_id integer not null constraint build_questions_brand_id_fkey references brands on delete cascade,
  build_id uuid not null constraint build_questions_build_id_fkey references builds on delete cascade,
  key text not null,
  question text not null,
  choices text[],
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  answered_at timestamptz,
  answered_by integer constraint build_questions_answered_by_fkey references users on delete set null,
  answered_by_agent text,
  choice text,
  text text,
  expired_at timestamptz,
  -- When the desk said that it has the answer.
  delivered_at timestamptz,
  constraint build_questions_once unique (build_id, key)
);
create index build_questions_open on build_questions (expires_at) where answered_at is null and expired_at is null;
create index build_questions_by_brand on build_questions (brand_id);
create index build_questions_by_person on build_questions (answered_by) where answered_by is not null;

alter table builds add column waiting_since timestamptz, add column waited_seconds double precision not null default 0;
alter table build_policies add column question_hours integer not null default 72;
