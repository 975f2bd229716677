-- My work, an agent's work and words in titles, across all boards of a workspace.
create index cards_of_assignee on cards (brand_id, assignee_user_id, updated_at desc, card_id)
  where assignee_user_id is not null;
create index cards_of_agent on cards (brand_id, assignee_agent_id, updated_at desc, card_id)
  where assignee_agent_id is not null;
create index cards_due on cards (brand_id, due_at) where due_at is not null;
create index cards_by_title on cards using gin (brand_id, title gin_trgm_ops);
