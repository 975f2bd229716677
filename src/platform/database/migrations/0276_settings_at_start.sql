-- A build takes the settings of its profile, and the policy's time limit, when it starts: before that it has none.

alter table builds alter column wall_minutes drop not null;
update builds set settings = null, wall_minutes = null where started_at is null and finished_at is null;
