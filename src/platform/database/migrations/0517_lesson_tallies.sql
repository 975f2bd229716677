-- How many live lessons a project has, by type and whether their code is gone: its list says so without counting them. Whoever
-- writes lessons holds their project, so nobody waits for anybody here.

create table lesson_tallies (
  brand_id integer not null,
  project_id uuid not null constraint lesson_tallies_project_id_fkey references projects on delete cascade,
  type text not null,
  stale boolean not null,
  lessons integer not null,
  constraint lesson_tallies_pkey primary key (brand_id, project_id, type, stale)
);
create index lesson_tallies_of_project on lesson_tallies (project_id);

create function tally_lessons() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into lesson_tallies (brand_id, project_id, type, stale, lessons)
    select brand_id, project_id, type, stale_commit is not null, count(*) from after where status = 'live'
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (brand_id, project_id, type, stale) do update set lessons = lesson_tallies.lessons + excluded.lessons;
  elsif tg_op = 'DELETE' then
    -- With a project its tallies go too.
    update lesson_tallies t set lessons = t.lessons - r.lessons
    from (
      select brand_id, project_id, type, stale_commit is not null as stale, count(*) as lessons
      from before where status = 'live' group by 1, 2, 3, 4
    ) r
    where (t.brand_id, t.project_id, t.type, t.stale) = (r.brand_id, r.project_id, r.type, r.stale);
  else
    insert into lesson_tallies (brand_id, project_id, type, stale, lessons)
    select brand_id, project_id, type, stale, sum(lessons) from (
      select brand_id, project_id, type, stale_commit is not null as stale, -1 as lessons from before where status = 'live'
      union all
      select brand_id, project_id, type, stale_commit is not null, 1 from after where status = 'live'
    ) moved
    group by 1, 2, 3, 4 having sum(lessons) <> 0
    order by 1, 2, 3, 4
    on conflict (brand_id, project_id, type, stale) do update set lessons = lesson_tallies.lessons + excluded.lessons;
  end if;
  return null;
end $$;

create trigger lessons_tallied_in after insert on lessons
  referencing new table as after for each statement execute function tally_lessons();
create trigger lessons_tallied_on after update on lessons
  referencing old table as before new table as after for each statement execute function tally_lessons();
create trigger lessons_tallied_out after delete on lessons
  referencing old table as before for each statement execute function tally_lessons();

insert into lesson_tallies (brand_id, project_id, type, stale, lessons)
select brand_id, project_id, type, stale_commit is not null, count(*) from lessons where status = 'live' group by 1, 2, 3, 4;
