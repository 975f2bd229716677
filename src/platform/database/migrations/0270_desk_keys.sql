-- The SHA-256 of a desk's token is the key that orders to the desk are proved with: whoever reads it commands the machine. It is kept
-- sealed, and a desk is found by a hash of that hash. Desks from before keep token_hash until they are moved over.
alter table desks
  alter column token_hash drop not null,
  add column token_lookup text constraint desks_token_lookup_unique unique,
  add column key_sealed text,
  add constraint desks_token_known check (token_hash is not null or (token_lookup is not null and key_sealed is not null));

create index desks_old_token on desks (desk_id) where token_hash is not null;
