-- When a build last got on, for how long it may not, and when people were told that it does not. Builds that began before have no such limit.
alter table build_policies add column stall_minutes integer not null default 20;
alter table builds add column progress_at timestamptz;
alter table builds add column stall_minutes integer;
alter table builds add column stall_told_at timestamptz;
