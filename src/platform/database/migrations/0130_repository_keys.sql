-- The key with which a workspace reads its ssh repositories, and the host keys it has come to know.

create table code_deploy_keys (
  brand_id integer constraint code_deploy_keys_pkey primary key
    constraint code_deploy_keys_brand references brands (brand_id) on delete cascade,
  -- As a host wants it: type, key, comment.
  public_key text not null,
  -- Sealed: the database alone does not give it away.
  private_key text not null,
  created_at timestamptz not null
);

create table code_host_keys (
  brand_id integer not null constraint code_host_keys_brand references brands (brand_id) on delete cascade,
  -- A name or an address, with its port unless that is 22.
  host text not null,
  -- Type and key.
  host_key text not null,
  pinned_at timestamptz not null,
  constraint code_host_keys_pkey primary key (brand_id, host)
);
