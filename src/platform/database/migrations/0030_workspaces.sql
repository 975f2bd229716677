-- What workspace admins set, and the docs spaces that guests can be let into.

-- An admin's choice; without a row the plan and the data decide.
create table feature_choices (
  brand_id integer not null references brands on delete cascade,
  feature text not null constraint feature_choices_feature_known check (feature in ('skills', 'feed', 'machines', 'crm')),
  is_on boolean not null,
  changed_by integer not null references users,
  changed_at timestamptz not null,
  primary key (brand_id, feature)
);

create table docs_spaces (
  space_id uuid primary key,
  brand_id integer not null references brands on delete cascade,
  name text not null,
  created_at timestamptz not null
);
create index docs_spaces_by_brand on docs_spaces (brand_id, created_at, space_id);
