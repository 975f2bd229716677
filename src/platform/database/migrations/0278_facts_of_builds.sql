-- Which build put a card into its status; null when a person did. What comes late must not overwrite what a person decided.

alter table cards add column status_of_build uuid;
update cards k set status_of_build = b.build_id from builds b
where b.task_id = k.card_id and b.brand_id = k.brand_id
  and not exists (select from builds newer where newer.task_id = b.task_id and newer.attempt > b.attempt)
  and ((b.finished_at is null and b.started_at is not null and k.status = 'in_progress')
    or (b.outcome = 'lost' and k.status = 'blocked' and k.error_code = 'lost'));

-- The commit of the base branch from which the first of a row of attempts began: from there to its head is what a build brings.
alter table builds add column origin_sha text;
with recursive line as (
  select build_id, base_sha as origin_sha from builds b
  where not exists (select from builds before where before.build_id = b.continues and before.head_sha = b.base_sha)
  union all
  select b.build_id, line.origin_sha from line
  join builds before on before.build_id = line.build_id
  join builds b on b.continues = before.build_id and b.base_sha = before.head_sha
)
update builds b set origin_sha = line.origin_sha from line where line.build_id = b.build_id;
