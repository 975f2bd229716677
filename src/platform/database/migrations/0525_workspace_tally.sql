-- How many workspaces there are that are not being erased: the operator's list says so without counting them. One row, which
-- whoever makes or erases a workspace holds for a moment.

create table workspace_tally (
  only_one boolean not null default true constraint workspace_tally_only_one check (only_one),
  workspaces bigint not null,
  constraint workspace_tally_pkey primary key (only_one)
);

create function tally_workspaces() returns trigger language plpgsql as $$
declare
  more bigint := 0;
begin
  if tg_op <> 'DELETE' then
    more := more + (select count(*) from after where erasing_at is null);
  end if;
  if tg_op <> 'INSERT' then
    more := more - (select count(*) from before where erasing_at is null);
  end if;
  if more <> 0 then
    update workspace_tally set workspaces = workspaces + more;
  end if;
  return null;
end $$;

-- allowed: workspaces are few, and whoever makes one waits for as long as it takes to count them
lock table brands in share row exclusive mode;

create trigger brands_tallied_added after insert on brands
  referencing new table as after for each statement execute function tally_workspaces();
create trigger brands_tallied_changed after update on brands
  referencing old table as before new table as after for each statement execute function tally_workspaces();
create trigger brands_tallied_removed after delete on brands
  referencing old table as before for each statement execute function tally_workspaces();

insert into workspace_tally (workspaces)
select count(*) from brands where erasing_at is null;
