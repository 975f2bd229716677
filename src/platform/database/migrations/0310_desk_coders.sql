-- What a desk says of the coders that it cannot run: [{coder, reason}].
alter table build_desks add column missing jsonb not null default '[]';

-- A desk that builds for one project and for nothing else: that of the demo world, whose coder is a script.
alter table desks add column only_project_id uuid;
update desks d set only_project_id = p.project_id
from projects p
where d.installation_id = 'demo-' || d.desk_id and p.brand_id = d.brand_id and p.name = 'Lighthouse';
