-- How many builds of a workspace have ended, by desk, coder and outcome: a list says how many there are without counting them.
-- Those that have not ended are few, and are counted.

create table build_tallies (
  brand_id integer not null constraint build_tallies_brand_id_fkey references brands on delete cascade,
  -- Of a build that no desk had: zeros.
  workstation_id uuid not null,
  coder text not null,
  outcome text not null,
  builds bigint not null,
  constraint build_tallies_pkey primary key (brand_id, workstation_id, coder, outcome)
);

create function tally_ended_builds() returns trigger language plpgsql as $$
begin
  insert into build_tallies (brand_id, workstation_id, coder, outcome, builds)
  select brand_id, workstation_id, coder, outcome, sum(builds) from (
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000') as workstation_id, coder, outcome, -1 as builds
    from before where outcome is not null
    union all
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome, 1
    from after where outcome is not null
  ) moved
  group by 1, 2, 3, 4 having sum(builds) <> 0
  order by 1, 2, 3, 4
  on conflict (brand_id, workstation_id, coder, outcome) do update set builds = build_tallies.builds + excluded.builds;
  return null;
end $$;

create function tally_added_builds() returns trigger language plpgsql as $$
begin
  insert into build_tallies (brand_id, workstation_id, coder, outcome, builds)
  select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome, count(*)
  from added where outcome is not null
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (brand_id, workstation_id, coder, outcome) do update set builds = build_tallies.builds + excluded.builds;
  return null;
end $$;

-- With a workspace its tallies go too.
create function tally_removed_builds() returns trigger language plpgsql as $$
begin
  update build_tallies t set builds = t.builds - r.builds
  from (
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000') as workstation_id, coder, outcome, count(*) as builds
    from removed where outcome is not null group by 1, 2, 3, 4
  ) r
  where (t.brand_id, t.workstation_id, t.coder, t.outcome) = (r.brand_id, r.workstation_id, r.coder, r.outcome);
  return null;
end $$;

create trigger builds_changed after update on builds
  referencing old table as before new table as after for each statement execute function tally_ended_builds();
create trigger builds_added after insert on builds
  referencing new table as added for each statement execute function tally_added_builds();
create trigger builds_removed after delete on builds
  referencing old table as removed for each statement execute function tally_removed_builds();

insert into build_tallies (brand_id, workstation_id, coder, outcome, builds)
select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome, count(*)
from builds where outcome is not null group by 1, 2, 3, 4;
