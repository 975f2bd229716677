-- How many updates of a machine were ever asked for.

create table machine_update_tallies (
  brand_id integer not null,
  desk_id uuid not null constraint machine_update_tallies_desk_id_fkey references desks on delete cascade,
  updates integer not null,
  constraint machine_update_tallies_pkey primary key (brand_id, desk_id)
);
create index machine_update_tallies_of_desk on machine_update_tallies (desk_id);

create function tally_machine_updates() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into machine_update_tallies (brand_id, desk_id, updates)
    select brand_id, desk_id, count(*) from after group by 1, 2 order by 1, 2
    on conflict (brand_id, desk_id) do update set updates = machine_update_tallies.updates + excluded.updates;
  else
    -- With a desk its tally goes too.
    update machine_update_tallies t set updates = t.updates - r.updates
    from (select brand_id, desk_id, count(*) as updates from before group by 1, 2) r
    where (t.brand_id, t.desk_id) = (r.brand_id, r.desk_id);
  end if;
  return null;
end $$;

create trigger machine_updates_added after insert on machine_updates
  referencing new table as after for each statement execute function tally_machine_updates();
create trigger machine_updates_removed after delete on machine_updates
  referencing old table as before for each statement execute function tally_machine_updates();

insert into machine_update_tallies (brand_id, desk_id, updates)
select brand_id, desk_id, count(*) from machine_updates group by 1, 2;
