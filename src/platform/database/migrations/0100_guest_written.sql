-- Which of a card's texts a guest wrote last: agents never learn from those. Null is none: nodes of the version before
-- go on making cards while this one comes up, and know nothing of it.

alter table cards add column guest_written text[] default '{}';

-- Of what was written before, the feed knows the writers; somebody who never belonged to the workspace was a guest.
with touched as (
  select distinct e.task_id
  from board_activity e join boards b using (board_id)
  where e.task_id is not null and e.changes ?| array['title', 'instructions', 'result']
    and not exists (select from memberships m where m.brand_id = b.brand_id and m.user_id = e.actor_user_id)
), last_writers as (
  select distinct on (e.task_id, text.name) e.task_id, text.name, e.actor_user_id
  from touched join board_activity e using (task_id)
  cross join (values ('title'), ('instructions'), ('result')) as text (name)
  where e.changes ? text.name and e.action in ('task.created', 'task.updated', 'task.moved')
  order by e.task_id, text.name, e.sequence desc
), written as (
  select w.task_id, array_agg(w.name order by w.name) as names
  from last_writers w join cards k on k.card_id = w.task_id
  where not exists (select from memberships m where m.brand_id = k.brand_id and m.user_id = w.actor_user_id)
  group by w.task_id
)
update cards k set guest_written = written.names from written where k.card_id = written.task_id;
