-- Workspaces, the people in them, and what proves who they are.

create extension if not exists citext;

create table brands (
  brand_id integer generated always as identity primary key,
  name text not null,
  plan text not null constraint brands_plan_known check (plan in ('free', 'team', 'business', 'enterprise')),
  subscription_active boolean not null default true,
  scope_ceiling text[] not null,
  new_navigation boolean not null default true,
  created_at timestamptz not null
);

create table users (
  user_id integer generated always as identity primary key,
  email citext not null constraint users_email_unique unique,
  full_name text not null,
  password_hash text,
  kind text not null constraint users_kind_known check (kind in ('person', 'staff', 'service')),
  -- A mailbox elsewhere: Guildhall does not manage it and so cannot rename it.
  mail_address text,
  created_at timestamptz not null
);

-- One row a name, for ever: two owners are impossible. A name that only forwards has current = false.
create table mail_names (
  name text constraint mail_names_pkey primary key,
  user_id integer not null references users on delete cascade,
  current boolean not null,
  forwards_until timestamptz,
  constraint mail_names_forward_has_end check (current = (forwards_until is null))
);
create unique index mail_names_one_current on mail_names (user_id) where current;
create index mail_names_by_user on mail_names (user_id);

create table memberships (
  brand_id integer not null references brands on delete cascade,
  user_id integer not null references users on delete cascade,
  role text not null constraint memberships_role_known check (role in ('admin', 'member')),
  position text,
  photo_key text,
  active boolean not null default true,
  joined_at timestamptz not null,
  primary key (brand_id, user_id)
);
create index memberships_by_user on memberships (user_id) where active;

-- What a person outside the workspace may open: a board or a docs space, at a level.
create table guest_access (
  brand_id integer not null references brands on delete cascade,
  user_id integer not null references users on delete cascade,
  kind text not null constraint guest_access_kind_known check (kind in ('board', 'docs')),
  resource_id uuid not null,
  role text not null constraint guest_access_role_known check (role in ('viewer', 'commenter', 'editor')),
  created_at timestamptz not null,
  primary key (kind, resource_id, user_id)
);
create index guest_access_by_brand on guest_access (brand_id, user_id);
create index guest_access_by_user on guest_access (user_id, created_at);

create table tokens (
  token_id uuid primary key,
  token_hash text not null constraint tokens_hash_unique unique,
  brand_id integer not null references brands on delete cascade,
  user_id integer not null references users on delete cascade,
  name text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index tokens_by_person on tokens (brand_id, user_id) where revoked_at is null;

create table sessions (
  session_id uuid primary key,
  secret_hash text not null constraint sessions_hash_unique unique,
  user_id integer not null references users on delete cascade,
  brand_id integer not null references brands on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

create table password_resets (
  token_hash text primary key,
  user_id integer not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_resets_by_user on password_resets (user_id);
create index password_resets_by_expiry on password_resets (expires_at);

create table invitations (
  id integer generated always as identity primary key,
  brand_id integer not null references brands on delete cascade,
  email citext not null,
  role text not null default 'member' constraint invitations_role_known check (role in ('admin', 'member')),
  token_hash text not null constraint invitations_token_unique unique,
  status text not null constraint invitations_status_known check (status in ('pending', 'accepted', 'revoked', 'expired')),
  invited_by integer references users on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz
);
create unique index invitations_one_pending on invitations (brand_id, email) where status = 'pending';
create index invitations_by_brand on invitations (brand_id, id);
