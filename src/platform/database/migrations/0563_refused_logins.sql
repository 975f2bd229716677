-- Coders that the owner's wrapper stands for: a desk with the program itself goes first.
alter table build_desks add column wrapped text[] not null default '{}';

-- By coder: when its login was refused, by which build, and since when the desk's health had shown the login as ok.
alter table build_desks add column refusals jsonb not null default '{}';

-- Who is to know when something is wrong with a desk; null: the admins.
alter table desks add column ordered_by integer constraint desks_ordered_by_fkey references users on delete set null;
update desks d set ordered_by = a.actor_user_id
from audit_log a
where a.brand_id = d.brand_id and a.action = 'workstation.ordered' and a.subject = 'workstation:' || d.desk_id
  and exists (select from users u where u.user_id = a.actor_user_id);
