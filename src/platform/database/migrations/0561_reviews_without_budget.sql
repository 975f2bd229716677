-- When a review was last seen waiting for a budget: the time that it waits for a desk counts from then.
alter table builds add column unpaid_at timestamptz;
