-- What a million tokens of a model cost from a moment on, as the operator of the service has it.
create table model_prices (
  model text not null,
  valid_from timestamptz not null,
  usd_per_mtok_in numeric not null,
  usd_per_mtok_out numeric not null,
  constraint model_prices_pkey primary key (model, valid_from)
);
