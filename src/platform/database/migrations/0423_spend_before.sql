-- What builds spent before there was a ledger, on the day on which they ended.

-- allowed: few builds have more than six decimals, and what they show has to equal the ledger
update builds set cost_usd = round(cost_usd::numeric, 6)::float8
where cost_usd is not null and cost_usd <> round(cost_usd::numeric, 6)::float8;

insert into spend_entries (brand_id, build_id, at, day, project_id, task_id, agent_id, coder, profile, tokens_in, tokens_out, cost_micros)
select b.brand_id, b.build_id, coalesce(b.finished_at, b.heard_at, b.queued_at),
  to_char(coalesce(b.finished_at, b.heard_at, b.queued_at) at time zone 'UTC', 'YYYY-MM-DD'), b.project_id, b.task_id,
  (select k.assignee_agent_id from cards k where k.card_id = b.task_id), b.coder, b.profile,
  coalesce(b.tokens_in, 0), coalesce(b.tokens_out, 0), coalesce(round(b.cost_usd::numeric * 1000000), 0)::bigint
from builds b where b.tokens_in is not null or b.cost_usd is not null
order by 3, 2;

insert into spend_tallies (brand_id, scope, subject, period, builds, tokens_in, tokens_out, spent_micros)
select e.brand_id, t.scope, t.subject, t.period, count(*), sum(e.tokens_in), sum(e.tokens_out), sum(e.cost_micros)
from spend_entries e
cross join lateral (values
  ('workspace', '', e.day), ('workspace', '', left(e.day, 7)),
  ('project', e.project_id::text, e.day), ('project', e.project_id::text, left(e.day, 7)),
  ('agent', coalesce(e.agent_id, ''), e.day), ('agent', coalesce(e.agent_id, ''), left(e.day, 7)),
  ('card', e.task_id::text, e.day), ('card', e.task_id::text, ''),
  ('coder', e.coder, e.day), ('profile', coalesce(e.profile, ''), e.day)
) as t (scope, subject, period)
group by 1, 2, 3, 4;
