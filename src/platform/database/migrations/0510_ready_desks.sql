-- Nodes have the desks of a workspace ready too. Contacts are written all the time and shown nowhere in them, but a desk that was
-- silent for two weeks is listed apart: the first contact after a long silence tells.
create trigger desks_shown after update of name, runtime, status, repository, hello_at, installer_exit_code, installer_message,
    mesh_registered_at, sidecar_url, first_answered_at, misrouted, misses, last_contact_at on desks
  for each row when (
    (old.name, old.runtime, old.status, old.repository, old.installer_exit_code, old.installer_message, old.sidecar_url,
      old.misrouted, least(old.misses, 3), old.hello_at is null, old.mesh_registered_at is null, old.first_answered_at is null)
    is distinct from
    (new.name, new.runtime, new.status, new.repository, new.installer_exit_code, new.installer_message, new.sidecar_url,
      new.misrouted, least(new.misses, 3), new.hello_at is null, new.mesh_registered_at is null, new.first_answered_at is null)
    or coalesce(old.last_contact_at, old.created_at) < new.last_contact_at - interval '1 day')
  execute function tell_changed_settings();
