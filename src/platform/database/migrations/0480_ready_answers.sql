-- Nodes have the answers about a workspace's settings ready. Whatever those are made of tells them when it changes, whoever
-- changed it and with which version: with the commit, once for each workspace. What is written all the time (a desk's last
-- contact, a board's activity) is not among it.
-- Without a workspace, for what belongs to none (an agent of the platform), all of them are meant.
create function tell_changed_settings() returns trigger language plpgsql as $$
begin
  perform pg_notify('guildhall', '{"channel":"guildhall_settings","payload":{"brand_id":'
    || coalesce(new.brand_id::text, old.brand_id::text, 'null') || '}}');
  return null;
end $$;

-- A person is shown in every workspace that they belong to or ever set something in.
create function tell_changed_person() returns trigger language plpgsql as $$
begin
  perform pg_notify('guildhall', '{"channel":"guildhall_settings","payload":{"brand_id":null}}');
  return null;
end $$;

create trigger brands_settings after update of plan, new_navigation on brands
  for each row execute function tell_changed_settings();
create trigger feature_choices_settings after insert or update or delete on feature_choices
  for each row execute function tell_changed_settings();
create trigger installed_packages_settings after insert or delete on installed_packages
  for each row execute function tell_changed_settings();
create trigger feed_sources_settings after insert or delete on feed_sources
  for each row execute function tell_changed_settings();
create trigger desks_settings after insert or delete on desks
  for each row execute function tell_changed_settings();
create trigger boards_settings after insert or delete or update of board_type on boards
  for each row execute function tell_changed_settings();
create trigger coder_profile_overrides_settings after insert or update or delete on coder_profile_overrides
  for each row execute function tell_changed_settings();
create trigger memberships_settings after insert or update or delete on memberships
  for each row execute function tell_changed_settings();
create trigger agents_settings after update of name on agents
  for each row when (old.name is distinct from new.name) execute function tell_changed_settings();
create trigger users_settings after update of full_name, email on users
  for each row when (old.full_name is distinct from new.full_name or old.email is distinct from new.email)
  execute function tell_changed_person();
