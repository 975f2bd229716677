-- Ways of looking at cards that a person wants to come back to, in one workspace.
create table saved_views (
  view_id uuid constraint saved_views_pkey primary key,
  brand_id integer not null constraint saved_views_brand references brands (brand_id) on delete cascade,
  user_id integer not null constraint saved_views_user references users (user_id) on delete cascade,
  name text not null,
  -- The query string of the page's address.
  query text not null,
  created_at timestamptz not null
);
create index saved_views_of_person on saved_views (brand_id, user_id, created_at, view_id);
create index saved_views_by_user on saved_views (user_id);
