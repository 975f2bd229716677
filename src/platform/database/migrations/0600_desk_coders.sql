-- The coders that desks reported, and when they last did.
create table desk_coders (
  desk_id uuid not null constraint desk_coders_desk_id_fkey references desks on delete cascade,
  name text not null,
  brand_id integer not null constraint desk_coders_brand_id_fkey references brands on delete cascade,
  version text,
  reported_at timestamptz not null,
  constraint desk_coders_pkey primary key (desk_id, name)
);
create index desk_coders_by_brand on desk_coders (brand_id, name, reported_at);
