-- How many of the builds a tally counts reported no usage: their cost is unknown, and not zero.
alter table spend_tallies add column unmetered bigint not null default 0;

-- Counted as a build without usage; a late report takes it back.
alter table build_money add column unmetered boolean not null default false;

-- Builds that ended so far, on the day on which they ended.
with silent as (
  insert into build_money as m (build_id, brand_id, agent_id, unmetered)
  select b.build_id, b.brand_id, k.assignee_agent_id, true
  from builds b left join cards k on k.card_id = b.task_id
  where b.started_at is not null and b.finished_at is not null and b.tokens_in is null
  on conflict (build_id) do update set unmetered = true
  returning m.build_id, m.agent_id
), ended as (
  select b.brand_id, b.project_id, b.task_id, s.agent_id, b.coder, b.profile,
    to_char(b.finished_at at time zone w.timezone, 'YYYY-MM-DD') as day
  from silent s join builds b using (build_id) join brands w using (brand_id)
)
insert into spend_tallies as t (brand_id, scope, subject, period, builds, unmetered)
select e.brand_id, p.scope, p.subject, p.period, count(*), count(*)
from ended e
cross join lateral (values
  ('workspace', '', e.day), ('workspace', '', left(e.day, 7)),
  ('project', e.project_id::text, e.day), ('project', e.project_id::text, left(e.day, 7)),
  ('agent', coalesce(e.agent_id, ''), e.day), ('agent', coalesce(e.agent_id, ''), left(e.day, 7)),
  ('card', e.task_id::text, e.day), ('card', e.task_id::text, ''),
  ('coder', e.coder, e.day), ('profile', coalesce(e.profile, ''), e.day)
) as p (scope, subject, period)
group by 1, 2, 3, 4
on conflict (brand_id, scope, subject, period) do update set builds = t.builds + excluded.builds,
  unmetered = t.unmetered + excluded.unmetered;
