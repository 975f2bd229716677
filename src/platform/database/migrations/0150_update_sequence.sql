-- The number of the last update order sent to a desk; a desk takes none that is not above the last it took.
alter table desks add column update_sequence bigint not null default 0;
