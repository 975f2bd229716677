-- With what a project reaches its repository, where that is not the key of the workspace. A host takes a deploy key for one
-- repository only, so each project can have its own.
create table code_project_credentials (
  project_id uuid constraint code_project_credentials_pkey primary key
    constraint code_project_credentials_project references projects (project_id) on delete cascade,
  kind text not null constraint code_project_credentials_kind check (kind in ('deploy_key', 'token')),
  -- Of a key: as a host wants it, and sealed.
  public_key text,
  private_key text,
  -- The key before this one: tried until this one has worked.
  former_public_key text,
  former_private_key text,
  -- Of a token: sealed, and the one host, with its port, that it was given for.
  username text,
  sealed_token text,
  host text,
  created_at timestamptz not null,
  used_at timestamptz,
  constraint code_project_credentials_whole check (
    (kind = 'deploy_key') = (public_key is not null and private_key is not null)
    and (kind = 'token') = (username is not null and sealed_token is not null and host is not null))
);
