-- The branch that a build was pushed to, where it is not its own: that of the card's open pull request.
alter table builds add column pushed_branch text;

-- When it was first seen merged or closed, by the service's clock; null while it is open.
alter table pull_requests add column ended_at timestamptz;
