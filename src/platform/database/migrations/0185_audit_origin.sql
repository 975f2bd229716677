-- From where and with what something was done. Null for what the service does by itself, and for entries of before.
alter table audit_log add column address text;
alter table audit_log add column credential text;
create index audit_log_by_actor on audit_log (actor_user_id, audit_id desc) where actor_user_id is not null;
create index audit_log_by_action on audit_log (brand_id, action, audit_id desc);
