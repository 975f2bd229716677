alter table saved_views add column shared boolean not null default false;
create index saved_views_shared on saved_views (brand_id, created_at, view_id) where shared;
