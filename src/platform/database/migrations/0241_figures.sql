-- How much was made and done in which week.
create index cards_by_creation on cards (brand_id, created_at);
create index cards_by_completion on cards (brand_id, completed_at) where completed_at is not null;
