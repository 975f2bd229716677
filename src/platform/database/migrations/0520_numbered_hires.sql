-- The hires of a workspace have numbers without gaps, in the order in which they were made: how many there are is the newest
-- number, and a page of them lies between two. None is ever deleted but with its workspace.

-- allowed: hires are few, and whoever makes one waits for as long as it takes to number them
lock table hires in share row exclusive mode;

alter table hires add column number integer;
update hires h set number = numbered.number
from (
  select hire_id, row_number() over (partition by brand_id order by created_at, hire_id) as number from hires
) numbered
where numbered.hire_id = h.hire_id;
alter table hires alter column number set not null;
create unique index hires_by_number on hires (brand_id, number);

create function number_hire() returns trigger language plpgsql as $$
begin
  -- One at a time in a workspace.
  perform from brands where brand_id = new.brand_id for no key update;
  new.number := 1 + coalesce((select max(number) from hires where brand_id = new.brand_id), 0);
  return new;
end
$$;
create trigger hires_numbered before insert on hires for each row execute function number_hire();
