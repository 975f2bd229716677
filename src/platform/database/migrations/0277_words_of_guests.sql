-- What a guest wrote reaches no memory by way of a build: a build that was given a guest's words is marked, and what its
-- coder remembers is kept apart from what the workspace's own people and agents know.

alter table builds add column guest_words boolean not null default false;
alter table memories add column from_guest boolean not null default false;
alter table memory_conversations add column from_guest boolean not null default false;

-- Whether its author was a guest when they wrote it.
alter table card_comments add column by_guest boolean not null default false;
update card_comments c set by_guest = true
from cards k
where k.card_id = c.card_id
  and exists (select from past_guests g where g.brand_id = k.brand_id and g.user_id = c.author_user_id)
  and not exists (select from memberships m where m.brand_id = k.brand_id and m.user_id = c.author_user_id);
