-- What a repeated request is answered with. A row is written in the transaction of what it tells about.
create table idempotency_keys (
  brand_id integer not null,
  user_id integer not null,
  key text not null,
  request_hash text not null,
  -- Null where the answer showed a secret: then only the id of what was made is kept.
  answer bytea,
  content_type text,
  status smallint not null,
  made_id text,
  created_at timestamptz not null,
  constraint idempotency_keys_pkey primary key (brand_id, user_id, key),
  constraint idempotency_keys_brand_id_fkey foreign key (brand_id) references brands (brand_id) on delete cascade,
  constraint idempotency_keys_user_id_fkey foreign key (user_id) references users (user_id) on delete cascade
);

create index idempotency_keys_created_at_idx on idempotency_keys (created_at);
