-- The queue of reviews: what waits for one, what was sent back, what was accepted and what is pushed, each in the order of its age.

create index builds_to_review on builds (brand_id, finished_at, build_id)
  where outcome = 'succeeded' and accepted_at is null and reworked_at is null;
create index builds_reworked on builds (brand_id, reworked_at, build_id) where reworked_at is not null;
create index builds_accepted on builds (brand_id, accepted_at, build_id)
  where accepted_at is not null and pushed_at is null;
create index builds_pushed on builds (brand_id, pushed_at, build_id) where pushed_at is not null;

-- How many there are of what only grows is tallied with the rest of what has ended.
create function review_of_build(accepted timestamptz, reworked timestamptz, pushed timestamptz) returns text
language sql immutable as $$
  select case when pushed is not null then 'pushed' when accepted is not null then 'accepted'
    when reworked is not null then 'rework' else '' end
$$;

alter table build_tallies add column review text not null default '';
alter table build_tallies drop constraint build_tallies_pkey;
alter table build_tallies add constraint build_tallies_pkey primary key (brand_id, workstation_id, coder, outcome, review);

create or replace function tally_ended_builds() returns trigger language plpgsql as $$
begin
  insert into build_tallies (brand_id, workstation_id, coder, outcome, review, builds)
  select brand_id, workstation_id, coder, outcome, review, sum(builds) from (
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000') as workstation_id, coder, outcome,
      review_of_build(accepted_at, reworked_at, pushed_at) as review, -1 as builds
    from before where outcome is not null
    union all
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome,
      review_of_build(accepted_at, reworked_at, pushed_at), 1
    from after where outcome is not null
  ) moved
  group by 1, 2, 3, 4, 5 having sum(builds) <> 0
  order by 1, 2, 3, 4, 5
  on conflict (brand_id, workstation_id, coder, outcome, review) do update set builds = build_tallies.builds + excluded.builds;
  return null;
end $$;

create or replace function tally_added_builds() returns trigger language plpgsql as $$
begin
  insert into build_tallies (brand_id, workstation_id, coder, outcome, review, builds)
  select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome,
    review_of_build(accepted_at, reworked_at, pushed_at), count(*)
  from added where outcome is not null
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (brand_id, workstation_id, coder, outcome, review) do update set builds = build_tallies.builds + excluded.builds;
  return null;
end $$;

create or replace function tally_removed_builds() returns trigger language plpgsql as $$
begin
  update build_tallies t set builds = t.builds - r.builds
  from (
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000') as workstation_id, coder, outcome,
      review_of_build(accepted_at, reworked_at, pushed_at) as review, count(*) as builds
    from removed where outcome is not null group by 1, 2, 3, 4, 5
  ) r
  where (t.brand_id, t.workstation_id, t.coder, t.outcome, t.review) = (r.brand_id, r.workstation_id, r.coder, r.outcome, r.review);
  return null;
end $$;

delete from build_tallies;
insert into build_tallies (brand_id, workstation_id, coder, outcome, review, builds)
select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome,
  review_of_build(accepted_at, reworked_at, pushed_at), count(*)
from builds where outcome is not null group by 1, 2, 3, 4, 5;
