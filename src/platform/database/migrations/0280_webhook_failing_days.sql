-- On how many days in a row, counted from failing_since, a try has failed: a receiver that nothing was sent to has not failed.
alter table webhooks add column failing_days smallint not null default 0;
-- On which days the tries of before fell is not known: counting begins anew.
update webhooks set failing_since = null where failing_since is not null;
