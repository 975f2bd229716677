-- The figures show the first desks by name, which took sorting all of them.
-- allowed: desks are few, and the index is small
create index desks_by_name on desks (brand_id, name, desk_id);
