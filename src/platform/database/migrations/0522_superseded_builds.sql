-- An attempt that was followed by another one is not asked about any more. That is said of it when the other one comes, so that
-- what waits for a review is tallied with the rest, however much it is, and its queue is read from an index alone.

alter table builds add column superseded boolean not null default false;

create function supersede_builds() returns trigger language plpgsql as $$
begin
  update builds b set superseded = true
  from (select brand_id, task_id, max(attempt) as attempt from added where attempt > 1 group by 1, 2) a
  where b.brand_id = a.brand_id and b.task_id = a.task_id and b.attempt < a.attempt and b.kind = 'build' and not b.superseded;
  return null;
end $$;

create function review_of_build(
  outcome text, kind text, superseded boolean, accepted timestamptz, reworked timestamptz, pushed timestamptz
) returns text
language sql immutable as $$
  select case when pushed is not null then 'pushed' when accepted is not null then 'accepted'
    when reworked is not null then 'rework'
    when outcome = 'succeeded' and kind = 'build' and not superseded then 'to_review' else '' end
$$;

create or replace function tally_ended_builds() returns trigger language plpgsql as $$
begin
  insert into build_tallies (brand_id, workstation_id, coder, outcome, review, builds)
  select brand_id, workstation_id, coder, outcome, review, sum(builds) from (
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000') as workstation_id, coder, outcome,
      review_of_build(outcome, kind, superseded, accepted_at, reworked_at, pushed_at) as review, -1 as builds
    from before where outcome is not null
    union all
    select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome,
      review_of_build(outcome, kind, superseded, accepted_at, reworked_at, pushed_at), 1
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
    review_of_build(outcome, kind, superseded, accepted_at, reworked_at, pushed_at), count(*)
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
      review_of_build(outcome, kind, superseded, accepted_at, reworked_at, pushed_at) as review, count(*) as builds
    from removed where outcome is not null group by 1, 2, 3, 4, 5
  ) r
  where (t.brand_id, t.workstation_id, t.coder, t.outcome, t.review) = (r.brand_id, r.workstation_id, r.coder, r.outcome, r.review);
  return null;
end $$;

drop function review_of_build(timestamptz, timestamptz, timestamptz);

-- allowed: builds are few beside what they leave behind, and whoever writes one waits for as long as it takes to tally them
lock table builds in share row exclusive mode;

create trigger builds_superseded after insert on builds
  referencing new table as added for each statement execute function supersede_builds();

update builds b set superseded = true
where b.kind = 'build' and exists (
  select from builds n where n.brand_id = b.brand_id and n.task_id = b.task_id and n.attempt > b.attempt and n.attempt > 1);

delete from build_tallies;
insert into build_tallies (brand_id, workstation_id, coder, outcome, review, builds)
select brand_id, coalesce(workstation_id, '00000000-0000-0000-0000-000000000000'), coder, outcome,
  review_of_build(outcome, kind, superseded, accepted_at, reworked_at, pushed_at), count(*)
from builds where outcome is not null group by 1, 2, 3, 4, 5;

-- allowed: builds are few beside what they leave behind, and the indexes are small
drop index builds_to_review, builds_to_review_by_risk, builds_waiting, builds_tried_again;
create index builds_to_review on builds (brand_id, finished_at, build_id)
  where outcome = 'succeeded' and kind = 'build' and not superseded and accepted_at is null and reworked_at is null;
-- allowed: as above
create index builds_to_review_by_risk on builds (brand_id, (coalesce(risk_score, -1::smallint)) desc, build_id desc)
  where outcome = 'succeeded' and kind = 'build' and not superseded and accepted_at is null and reworked_at is null;
