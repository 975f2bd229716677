-- Whether commits may hold what is secret on the desk they were made on.
alter table build_policies add column allow_secrets boolean not null default false;
