-- When each background pass last ran, on whatever node, and what went wrong.
create table job_runs (
  name text primary key,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  error text
);
