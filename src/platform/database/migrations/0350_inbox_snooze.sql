-- Out of sight until then, and unread when it is back: both follow from the clock. No index, as 0297 says.
alter table inbox_items add column snoozed_until timestamptz;
