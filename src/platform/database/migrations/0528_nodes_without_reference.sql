-- A first pass stores hundreds of thousands of nodes of one project, which it holds locked: to look for the project again with each of
-- them took half of the time of storing them. They go with their project all the same.

-- allowed: a constraint is dropped in a moment, whatever there is
alter table code_nodes drop constraint code_nodes_project_id_fkey;

create function forget_code_nodes() returns trigger
language plpgsql as $$
begin
  delete from code_nodes where project_id = old.project_id;
  return null;
end $$;

create trigger projects_forget_nodes after delete on projects for each row execute function forget_code_nodes();
