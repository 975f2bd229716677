-- How a checkout of a project is made usable, and what has to hold of it. A project without a row goes by its repository.
create table project_checks (
  project_id uuid constraint project_checks_pkey primary key
    constraint project_checks_project_id_fkey references projects on delete cascade,
  brand_id integer not null constraint project_checks_brand_id_fkey references brands on delete cascade,
  checks jsonb not null,
  setup jsonb,
  required boolean not null,
  updated_at timestamptz not null
);
create index project_checks_by_brand on project_checks (brand_id);
