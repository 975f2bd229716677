-- What workspaces changed about the platform's coder profiles, and the record of every change.

create table coder_profile_overrides (
  brand_id integer not null references brands on delete cascade,
  profile_key text not null,
  field text not null constraint coder_profile_overrides_field_known check (field in ('model', 'effort', 'limit_value')),
  value text not null,
  constraint coder_profile_overrides_pkey primary key (brand_id, profile_key, field)
);

-- Numbered within the workspace, without gaps: a missing number would be a lost change.
create table coder_profile_changes (
  brand_id integer not null references brands on delete cascade,
  id integer not null,
  profile_key text not null,
  field text not null constraint coder_profile_changes_field_known check (field in ('model', 'effort', 'limit_value')),
  -- Null: the setting was at the platform default.
  old_value text,
  new_value text,
  actor_user_id integer not null,
  actor_role text not null constraint coder_profile_changes_role_known check (actor_role in ('brand_admin', 'platform_admin')),
  created_at timestamptz not null,
  constraint coder_profile_changes_pkey primary key (brand_id, id)
);
create index coder_profile_changes_by_profile on coder_profile_changes (brand_id, profile_key, id desc);
