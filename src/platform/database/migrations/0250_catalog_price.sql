-- What a period of a hire costs, told before anybody is hired; null where the subscription includes it.
alter table catalog_profiles
  add column price_usd numeric(12, 2) constraint catalog_price_not_negative check (price_usd >= 0);

-- The operator looks for one kind of deed over all workspaces.
create index audit_log_by_deed on audit_log (action, audit_id desc);
