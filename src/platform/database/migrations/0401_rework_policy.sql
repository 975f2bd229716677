-- After what a workspace wants the next attempt to begin by itself; what is not named is not wanted.
alter table build_policies add column rework jsonb not null default '{}';
