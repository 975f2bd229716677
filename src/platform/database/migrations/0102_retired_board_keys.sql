-- Keys of boards that were deleted. References like PB-17 live on elsewhere, so they must never mean another card.

create table board_retired_keys (
  brand_id integer not null references brands on delete cascade,
  key text not null,
  primary key (brand_id, key)
);
