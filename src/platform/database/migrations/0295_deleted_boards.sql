-- What the streams of a board tell last, when everything else of it is gone.
alter table board_retired_keys
  add column board_id uuid,
  add column entry_id uuid,
  add column deleted_at timestamptz,
  add column deleted_by integer references users on delete set null;

create unique index board_retired_keys_by_board on board_retired_keys (board_id) where board_id is not null;
