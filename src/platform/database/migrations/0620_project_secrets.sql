-- Secrets of a project. The recipients get them as environment variables.
create table project_secrets (
  project_id uuid not null constraint project_secrets_project_id_fkey references projects on delete cascade,
  name text not null,
  brand_id integer not null constraint project_secrets_brand_id_fkey references brands on delete cascade,
  sealed text not null,
  recipients text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint project_secrets_pkey primary key (project_id, name)
);
create index project_secrets_by_brand on project_secrets (brand_id);
