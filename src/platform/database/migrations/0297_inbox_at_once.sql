-- Whoever finishes a hundred thousand items at once waits for as many rows to be written, and for each row's indexes unless
-- it can be written beside its former self. So no index may depend on what becomes of an item, and pages keep room for it.
-- Open items are found by `inbox_items_of_person`, past those that are done, which are kept for 90 days at most.
drop index inbox_items_open;
alter table inbox_items set (fillfactor = 40);
